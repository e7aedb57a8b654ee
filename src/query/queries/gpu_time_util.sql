-- title: Stretches of low GPU use
-- like: nsys analyze gpu_time_util
-- needs: gpu
-- param: chunks=30 number of chunks
-- param: threshold_pct=50 use below which a chunk is listed
-- param: rows=50 most rows
-- The time from the first to the last item of a device, cut into equal chunks; those in which it was in use for less
-- than the threshold, least use first. In use means that anything ran, not how well.
WITH
ordered AS (
  SELECT pid, device, context, start_ns, end_ns,
         max(end_ns) OVER (PARTITION BY pid, device, context ORDER BY start_ns, end_ns, id
                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns, id
  FROM gpu
),
numbered AS (
  SELECT pid, device, context, start_ns, end_ns,
         count(*) FILTER (before_ns IS NULL OR start_ns > before_ns)
           OVER (PARTITION BY pid, device, context ORDER BY start_ns, end_ns, id ROWS UNBOUNDED PRECEDING) AS span
  FROM ordered
),
busy AS (
  SELECT pid, device, context, min(start_ns) AS start_ns, max(end_ns) AS end_ns FROM numbered GROUP BY pid, device, context, span
),
whole AS (
  SELECT pid, device, context, min(start_ns) AS start_ns, max(end_ns) AS end_ns FROM busy GROUP BY pid, device, context
),
chunks AS (
  SELECT pid, device, context, chunk, start_ns + (end_ns - start_ns) * chunk // $chunks AS start_ns,
         start_ns + (end_ns - start_ns) * (chunk + 1) // $chunks AS end_ns
  FROM whole, (SELECT unnest(range($chunks::BIGINT)) AS chunk)
),
used AS (
  SELECT chunks.pid, chunks.device, chunks.context, chunks.chunk, any_value(chunks.start_ns) AS start_ns,
         any_value(chunks.end_ns - chunks.start_ns) AS dur_ns,
         coalesce(sum(least(busy.end_ns, chunks.end_ns) - greatest(busy.start_ns, chunks.start_ns)), 0)::BIGINT AS busy_ns
  FROM chunks
  LEFT JOIN busy ON busy.pid IS NOT DISTINCT FROM chunks.pid AND busy.device IS NOT DISTINCT FROM chunks.device
    AND busy.context IS NOT DISTINCT FROM chunks.context
    AND busy.start_ns < chunks.end_ns AND busy.end_ns > chunks.start_ns
  GROUP BY chunks.pid, chunks.device, chunks.context, chunks.chunk
)
SELECT
  row_number() OVER (ORDER BY busy_ns / dur_ns, start_ns, pid, device, context) AS "Row#",
  round(100.0 * busy_ns / dur_ns, 1) AS "In-Use (%)",
  dur_ns AS "Duration (ns)",
  start_ns AS "Start (ns)",
  pid AS "PID",
  device AS "Device ID",
  context AS "Context ID"
FROM used
WHERE dur_ns > 0 AND 100.0 * busy_ns / dur_ns < $threshold_pct
ORDER BY "Row#"
LIMIT $rows
