-- title: Queue length over time
-- like: HTA get_queue_length_time_series
-- needs: launches
-- The queue of a stream holds what was launched to it and has not started yet. One row a change.
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
SELECT rank, device, stream, time_ns, queue_length
FROM series
ORDER BY rank, device, stream, time_ns, change DESC, id
