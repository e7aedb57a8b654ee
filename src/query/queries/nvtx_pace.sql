-- title: One range over time
-- like: nsys recipe nvtx_pace
-- needs: annotations
-- param: name=% pattern (LIKE) of its name
-- The instances of one annotation in time order: how long each took, and how long after the one before it began.
-- Without a parameter the one that takes most time.
WITH chosen AS (
  SELECT name FROM annotations WHERE name LIKE $name GROUP BY name ORDER BY sum(dur_ns) DESC, name LIMIT 1
)
SELECT
  row_number() OVER (PARTITION BY pid, tid ORDER BY start_ns, id) - 1 AS instance,
  rank, pid, tid, start_ns, dur_ns,
  start_ns - lag(start_ns) OVER (PARTITION BY pid, tid ORDER BY start_ns, id) AS since_last_start_ns,
  name
FROM annotations
WHERE name IN (FROM chosen)
ORDER BY pid, tid, start_ns, id
