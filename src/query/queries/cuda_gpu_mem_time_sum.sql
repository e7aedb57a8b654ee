-- title: CUDA GPU memory operations by time
-- like: nsys stats cuda_gpu_mem_time_sum; rocprof memory_copy_stats
-- alias: gpumemtimesum memory_copy_stats
-- needs: copies
-- Copies and memsets by what they do. Time (%) is the share of the time of all rows listed, not of wall time.
SELECT
  round(100.0 * sum(dur_ns) / sum(sum(dur_ns)) OVER (), 1) AS "Time (%)",
  sum(dur_ns)::BIGINT AS "Total Time (ns)",
  count(*) AS "Count",
  round(avg(dur_ns), 1) AS "Avg (ns)",
  round(median(dur_ns), 1) AS "Med (ns)",
  min(dur_ns) AS "Min (ns)",
  max(dur_ns) AS "Max (ns)",
  round(coalesce(stddev_samp(dur_ns), 0), 1) AS "StdDev (ns)",
  operation AS "Operation"
FROM (
  SELECT operation, dur_ns, bytes FROM copies
  UNION ALL
  SELECT '[CUDA memset]', dur_ns, bytes FROM memsets
)
GROUP BY ALL
ORDER BY "Total Time (ns)" DESC, "Operation"
