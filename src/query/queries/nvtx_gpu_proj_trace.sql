-- title: NVTX ranges projected onto the GPU, one by one
-- like: nsys stats nvtx_gpu_proj_trace
-- alias: nvtxgpuproj
-- needs: annotation_gpu
-- A range is projected onto the device from the start of the first to the end of the last item issued inside of it by
-- its own thread; ranges without such items are left out. RangeId is the row number in host.
WITH RECURSIVE
levels AS (
  SELECT id, 0 AS level, ':' || id AS stack FROM annotations WHERE outer_annotation_id IS NULL
  UNION ALL
  SELECT inside.id, levels.level + 1, levels.stack || ':' || inside.id
  FROM annotations AS inside JOIN levels ON inside.outer_annotation_id = levels.id
),
children AS (
  SELECT outer_annotation_id AS id, count(*) AS count, sum(dur_ns)::BIGINT AS dur_ns
  FROM annotations WHERE outer_annotation_id IS NOT NULL GROUP BY outer_annotation_id
),
projected AS (
  SELECT annotation_gpu.annotation_id AS id, count(*) AS count, min(start_ns) AS start_ns, max(end_ns) AS end_ns
  FROM annotation_gpu JOIN gpu ON gpu.id = annotation_gpu.gpu_id
  GROUP BY annotation_gpu.annotation_id
)
SELECT
  coalesce(domain || ':', '') || name AS "Name",
  projected.start_ns AS "Projected Start (ns)",
  projected.end_ns - projected.start_ns AS "Projected Duration (ns)",
  annotations.start_ns AS "Orig Start (ns)",
  annotations.dur_ns AS "Orig Duration (ns)",
  style AS "Style",
  pid AS "PID",
  tid AS "TID",
  projected.count AS "NumGPUOps",
  level AS "Lvl",
  coalesce(children.count, 0) AS "NumChild",
  annotations.id AS "RangeId",
  outer_annotation_id AS "ParentId",
  stack AS "RangeStack"
FROM annotations
JOIN projected ON projected.id = annotations.id
JOIN levels ON levels.id = annotations.id
LEFT JOIN children ON children.id = annotations.id
ORDER BY "Projected Start (ns)", "RangeId"
