-- title: CUDA GPU memory operations by size
-- like: nsys stats cuda_gpu_mem_size_sum
-- alias: gpumemsizesum
-- needs: copies
-- Copies and memsets by what they do; a MB is 1,000,000 bytes. Operations of unknown size are left out.
SELECT
  round(sum(bytes) / 1e6, 3) AS "Total (MB)",
  count(*) AS "Count",
  round(avg(bytes) / 1e6, 3) AS "Avg (MB)",
  round(median(bytes) / 1e6, 3) AS "Med (MB)",
  round(min(bytes) / 1e6, 3) AS "Min (MB)",
  round(max(bytes) / 1e6, 3) AS "Max (MB)",
  round(coalesce(stddev_samp(bytes), 0) / 1e6, 3) AS "StdDev (MB)",
  operation AS "Operation"
FROM (
  SELECT operation, dur_ns, bytes FROM copies
  UNION ALL
  SELECT '[CUDA memset]', dur_ns, bytes FROM memsets
)
WHERE bytes IS NOT NULL
GROUP BY operation
ORDER BY sum(bytes) DESC, "Operation"
