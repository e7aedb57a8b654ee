-- title: NVTX ranges projected onto the GPU
-- like: nsys stats nvtx_gpu_proj_sum
-- needs: annotation_gpu
-- A range is projected onto the device from the start of the first to the end of the last item issued inside of it by
-- its own thread; ranges without such items are left out. Ranges inside of others are counted in both.
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
),
ranges AS (
  SELECT coalesce(domain || ':', '') || name AS name, style, projected.end_ns - projected.start_ns AS proj_ns, annotations.dur_ns AS dur_ns, projected.count AS ops,
         level, coalesce(children.count, 0) AS children
  FROM annotations
  JOIN projected ON projected.id = annotations.id
  JOIN levels ON levels.id = annotations.id
  LEFT JOIN children ON children.id = annotations.id
)
SELECT
  name AS "Range",
  style AS "Style",
  sum(proj_ns)::BIGINT AS "Total Proj Time (ns)",
  sum(dur_ns)::BIGINT AS "Total Range Time (ns)",
  count(*) AS "Range Instances",
  round(avg(proj_ns), 1) AS "Proj Avg (ns)",
  round(median(proj_ns), 1) AS "Proj Med (ns)",
  min(proj_ns) AS "Proj Min (ns)",
  max(proj_ns) AS "Proj Max (ns)",
  round(coalesce(stddev_samp(proj_ns), 0), 1) AS "Proj StdDev (ns)",
  sum(ops)::BIGINT AS "Total GPU Ops",
  round(avg(ops), 1) AS "Avg GPU Ops",
  round(avg(level), 1) AS "Avg Range Lvl",
  round(avg(children), 1) AS "Avg Num Child"
FROM ranges
GROUP BY name, style
ORDER BY "Total Proj Time (ns)" DESC, "Range", "Style"
