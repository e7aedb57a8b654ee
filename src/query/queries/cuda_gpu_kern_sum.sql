-- title: CUDA GPU kernel summary
-- like: nsys stats cuda_gpu_kern_sum; rocprof kernel_stats
-- alias: gpukernsum kernel_stats
-- needs: kernels
-- Kernels by name. Time (%) is the share of the time of all rows listed, not of wall time.
SELECT
  round(100.0 * sum(dur_ns) / sum(sum(dur_ns)) OVER (), 1) AS "Time (%)",
  sum(dur_ns)::BIGINT AS "Total Time (ns)",
  count(*) AS "Instances",
  round(avg(dur_ns), 1) AS "Avg (ns)",
  round(median(dur_ns), 1) AS "Med (ns)",
  min(dur_ns) AS "Min (ns)",
  max(dur_ns) AS "Max (ns)",
  round(coalesce(stddev_samp(dur_ns), 0), 1) AS "StdDev (ns)",
  name AS "Name"
FROM kernels
GROUP BY ALL
ORDER BY "Total Time (ns)" DESC, "Name"
