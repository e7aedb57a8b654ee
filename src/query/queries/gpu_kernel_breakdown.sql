-- title: Device work by name and kind
-- like: HTA get_gpu_kernel_breakdown
-- needs: gpu
-- Every kernel, copy and memset by name, with its kind.
SELECT rank, CASE WHEN kind IN ('copy', 'memset') THEN 'MEMORY' WHEN is_communication THEN 'COMMUNICATION' ELSE 'COMPUTATION' END AS kernel_type, count(*) AS count, sum(dur_ns)::BIGINT AS total_ns, max(dur_ns) AS max_ns, min(dur_ns) AS min_ns,
       round(coalesce(stddev_samp(dur_ns), 0), 1) AS stddev_ns, round(avg(dur_ns), 1) AS mean_ns, name
FROM gpu
GROUP BY rank, kernel_type, name
ORDER BY total_ns DESC, rank, kernel_type, name
