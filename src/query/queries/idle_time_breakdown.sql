-- title: Why streams are idle
-- like: HTA get_idle_time_breakdown
-- needs: launches
-- param: consecutive_ns=30 longest gap between items that simply follow each other
-- Gaps between items that follow each other on a stream. host wait: the next one was launched only after the one
-- before had ended; kernel wait: the gap is no longer than consecutive_ns; other: launched before, waiting for
-- something else. View gap_parts tells what the host did.
WITH pairs AS (
  SELECT rank, device, stream, start_ns, call_start_ns,
         max(end_ns) OVER (PARTITION BY rank, device, stream ORDER BY start_ns, id
                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns
  FROM gpu
),
gap AS (
  SELECT rank, device, stream, start_ns - before_ns AS idle_ns,
         CASE WHEN call_start_ns IS NULL THEN 'unknown launch'
              WHEN call_start_ns > before_ns THEN 'host wait'
              WHEN start_ns - before_ns <= $consecutive_ns THEN 'kernel wait'
              ELSE 'other' END AS idle_category
  FROM pairs
  WHERE start_ns > before_ns
)
SELECT rank, device, stream, idle_category, count(*) AS gaps, sum(idle_ns)::BIGINT AS idle_ns,
       round(100.0 * sum(idle_ns) / sum(sum(idle_ns)) OVER (PARTITION BY rank, device, stream), 2) AS idle_pct
FROM gap
GROUP BY rank, device, stream, idle_category
ORDER BY rank, device, stream, sum(idle_ns) DESC, idle_category
