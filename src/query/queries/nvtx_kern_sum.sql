-- title: Kernels by NVTX range
-- like: nsys stats nvtx_kern_sum
-- alias: nvtxkernsum
-- needs: annotation_gpu
-- Kernels by name and by the range in which their launch was made; a kernel counts in every range around its launch.
SELECT
  coalesce(domain || ':', '') || annotations.name AS "NVTX Range",
  style AS "Style",
  annotations.pid AS "PID",
  annotations.tid AS "TID",
  count(DISTINCT annotations.id) AS "NVTX Inst",
  count(*) AS "Kern Inst",
  sum(kernels.dur_ns)::BIGINT AS "Total Time (ns)",
  round(avg(kernels.dur_ns), 1) AS "Avg (ns)",
  round(median(kernels.dur_ns), 1) AS "Med (ns)",
  min(kernels.dur_ns) AS "Min (ns)",
  max(kernels.dur_ns) AS "Max (ns)",
  round(coalesce(stddev_samp(kernels.dur_ns), 0), 1) AS "StdDev (ns)",
  kernels.name AS "Kernel Name"
FROM annotation_gpu
JOIN annotations ON annotations.id = annotation_gpu.annotation_id
JOIN kernels ON kernels.id = annotation_gpu.gpu_id
GROUP BY ALL
ORDER BY "Total Time (ns)" DESC, "NVTX Range", "Kernel Name", "PID", "TID"
