-- title: NVTX push/pop range trace
-- like: nsys stats nvtx_pushpop_trace
-- alias: nvtxpptrace pushpoptrace
-- needs: annotations
-- Every range in time order, with its place in the stack of its thread. RangeId is the row number in host.
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
)
SELECT
  start_ns AS "Start (ns)",
  end_ns AS "End (ns)",
  annotations.dur_ns AS "Duration (ns)",
  coalesce(children.dur_ns, 0) AS "DurChild (ns)",
  annotations.dur_ns - coalesce(children.dur_ns, 0) AS "DurNonChild (ns)",
  name AS "Name",
  pid AS "PID",
  tid AS "TID",
  level AS "Lvl",
  coalesce(children.count, 0) AS "NumChild",
  annotations.id AS "RangeId",
  outer_annotation_id AS "ParentId",
  stack AS "RangeStack",
  repeat('--', level) || name AS "NameTree"
FROM annotations
JOIN levels ON levels.id = annotations.id
LEFT JOIN children ON children.id = annotations.id
WHERE style = 'PushPop'
ORDER BY "Start (ns)", "RangeId"
