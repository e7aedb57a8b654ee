-- title: Time with a full queue
-- like: HTA get_time_spent_blocked_on_full_queue
-- needs: launches
-- param: full=1024 length at which a queue is full
-- The queue of a stream holds what was launched to it and has not started yet. From about a thousand items on a launch
-- call waits until one has started.
WITH
events AS (
  SELECT rank, device, stream, call_start_ns AS time_ns, 1 AS change, id FROM launches
  UNION ALL
  SELECT rank, device, stream, greatest(start_ns, call_start_ns), -1, id FROM launches
),
series AS (
  SELECT rank, device, stream, time_ns, change, id,
         (sum(change) OVER (PARTITION BY rank, device, stream ORDER BY time_ns, change DESC, id
                            ROWS UNBOUNDED PRECEDING))::BIGINT AS queue_length,
         lead(time_ns) OVER (PARTITION BY rank, device, stream ORDER BY time_ns, change DESC, id) AS until_ns
  FROM events
)
SELECT rank, device, stream, sum(until_ns - time_ns)::BIGINT AS full_ns, max(queue_length) AS longest,
       round(100.0 * sum(until_ns - time_ns) / (SELECT max(end_ns) - min(start_ns) FROM gpu), 2) AS window_pct
FROM series
WHERE queue_length >= $full
GROUP BY rank, device, stream
ORDER BY full_ns DESC, rank, device, stream
