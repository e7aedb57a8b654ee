-- title: Queue length by stream
-- like: HTA get_queue_length_summary
-- needs: launches
-- The queue of a stream holds what was launched to it and has not started yet. Statistics are over the changes of the
-- length, as in HTA; mean_over_time weighs them with how long they lasted.
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
SELECT rank, device, stream, count(*) AS changes, round(avg(queue_length), 2) AS mean, round(coalesce(stddev_samp(queue_length), 0), 2) AS stddev,
       min(queue_length) AS min, quantile_cont(queue_length, 0.25) AS p25, median(queue_length) AS p50,
       quantile_cont(queue_length, 0.75) AS p75, max(queue_length) AS max,
       round(sum(queue_length * (until_ns - time_ns)) / nullif(sum(until_ns - time_ns), 0), 2) AS mean_over_time
FROM series
GROUP BY rank, device, stream
ORDER BY rank, device, stream
