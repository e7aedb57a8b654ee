-- title: CUDA GPU kernel summary by grid and block
-- like: nsys stats cuda_gpu_kern_gb_sum
-- alias: gpukerngbsum
-- needs: kernels
-- Kernels by name and launch geometry. Time (%) is the share of the time of all rows listed, not of wall time.
SELECT
  round(100.0 * sum(dur_ns) / sum(sum(dur_ns)) OVER (), 1) AS "Time (%)",
  sum(dur_ns)::BIGINT AS "Total Time (ns)",
  count(*) AS "Instances",
  round(avg(dur_ns), 1) AS "Avg (ns)",
  round(median(dur_ns), 1) AS "Med (ns)",
  min(dur_ns) AS "Min (ns)",
  max(dur_ns) AS "Max (ns)",
  round(coalesce(stddev_samp(dur_ns), 0), 1) AS "StdDev (ns)",
  printf('%4d %4d %4d', grid_x, grid_y, grid_z) AS "GridXYZ",
  printf('%4d %4d %4d', block_x, block_y, block_z) AS "BlockXYZ",
  name AS "Name"
FROM kernels
GROUP BY ALL
ORDER BY "Total Time (ns)" DESC, "Name", "GridXYZ", "BlockXYZ"
