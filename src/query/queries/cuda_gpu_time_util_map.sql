-- title: GPU use over time
-- like: nsys recipe cuda_gpu_time_util_map
-- needs: gpu
-- param: chunks=30 number of chunks
-- The time from the first to the last item of a device, cut into equal chunks, and how much of each anything ran.
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
SELECT device, pid, context, chunk, start_ns, dur_ns, busy_ns, round(100.0 * busy_ns / nullif(dur_ns, 0), 1) AS busy_pct
FROM used
ORDER BY device, pid, context, chunk
