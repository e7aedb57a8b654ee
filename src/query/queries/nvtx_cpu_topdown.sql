-- title: Ranges as a tree
-- like: nsys recipe nvtx_cpu_topdown
-- needs: annotations
-- Annotations by the path of annotations around them, with what they took on the host; self is without the ranges
-- inside.
WITH RECURSIVE
paths AS (
  SELECT id, name::VARCHAR AS path, 0 AS level FROM annotations WHERE outer_annotation_id IS NULL
  UNION ALL
  SELECT inside.id, paths.path || ' / ' || inside.name, paths.level + 1
  FROM annotations AS inside JOIN paths ON inside.outer_annotation_id = paths.id
),
children AS (
  SELECT outer_annotation_id AS id, sum(dur_ns)::BIGINT AS dur_ns
  FROM annotations WHERE outer_annotation_id IS NOT NULL GROUP BY outer_annotation_id
)
SELECT path, level, count(*) AS calls, sum(annotations.dur_ns)::BIGINT AS total_ns,
       (sum(annotations.dur_ns) - sum(coalesce(children.dur_ns, 0)))::BIGINT AS self_ns
FROM paths
JOIN annotations ON annotations.id = paths.id
LEFT JOIN children ON children.id = paths.id
GROUP BY path, level
ORDER BY path
