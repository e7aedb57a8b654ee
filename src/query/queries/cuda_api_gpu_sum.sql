-- title: CUDA summary: API calls, kernels, memory operations
-- like: nsys stats cuda_api_gpu_sum
-- alias: apigpusum
-- needs: gpu api_calls
-- API calls, kernels, copies and memsets by name. Time (%) is the share of the time of all rows listed, not of wall
-- time.
SELECT
  round(100.0 * sum(dur_ns) / sum(sum(dur_ns)) OVER (), 1) AS "Time (%)",
  sum(dur_ns)::BIGINT AS "Total Time (ns)",
  count(*) AS "Instances",
  round(avg(dur_ns), 1) AS "Avg (ns)",
  round(median(dur_ns), 1) AS "Med (ns)",
  min(dur_ns) AS "Min (ns)",
  max(dur_ns) AS "Max (ns)",
  round(coalesce(stddev_samp(dur_ns), 0), 1) AS "StdDev (ns)",
  category AS "Category",
  operation AS "Operation"
FROM (
  SELECT 'CUDA_API' AS category, regexp_replace(name, '_v\d{4}$', '') AS operation, dur_ns FROM api_calls
  UNION ALL
  SELECT 'CUDA_KERNEL' AS category, name AS operation, dur_ns FROM kernels
  UNION ALL
  SELECT 'MEMORY_OPER', operation, dur_ns FROM copies
  UNION ALL
  SELECT 'MEMORY_OPER', '[CUDA memset]', dur_ns FROM memsets
)
GROUP BY ALL
ORDER BY "Total Time (ns)" DESC, "Category", "Operation"
