-- title: Kernels by duration
-- like: nsys recipe cuda_gpu_kern_hist
-- needs: kernels
-- How many kernels last how long, in steps of a factor of two, and how much of the kernel time they hold.
SELECT
  CASE WHEN dur_ns < 1 THEN 0 ELSE 1 << floor(log2(dur_ns))::INTEGER END AS from_ns,
  CASE WHEN dur_ns < 1 THEN 1 ELSE 2 << floor(log2(dur_ns))::INTEGER END AS below_ns,
  count(*) AS kernels,
  sum(dur_ns)::BIGINT AS total_ns,
  round(100.0 * sum(dur_ns) / sum(sum(dur_ns)) OVER (), 1) AS time_pct
FROM kernels
GROUP BY ALL
ORDER BY from_ns
