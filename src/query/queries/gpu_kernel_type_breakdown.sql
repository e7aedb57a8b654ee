-- title: Device time by kind of work
-- like: HTA get_gpu_kernel_breakdown (first table)
-- needs: gpu
-- Sums of durations over all streams: work that overlaps counts more than once.
SELECT rank, CASE WHEN kind IN ('copy', 'memset') THEN 'MEMORY' WHEN is_communication THEN 'COMMUNICATION' ELSE 'COMPUTATION' END AS kernel_type, count(*) AS count, sum(dur_ns)::BIGINT AS total_ns,
       round(100.0 * sum(dur_ns) / sum(sum(dur_ns)) OVER (PARTITION BY rank), 2) AS time_pct
FROM gpu
GROUP BY rank, kernel_type
ORDER BY rank, total_ns DESC, kernel_type
