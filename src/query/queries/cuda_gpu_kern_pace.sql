-- title: One kernel over time
-- like: nsys recipe cuda_gpu_kern_pace
-- needs: kernels
-- param: name=% pattern (LIKE) of its name
-- The executions of one kernel in time order: how long each took, and how long after the one before it began. Without
-- a parameter the kernel that takes most time.
WITH chosen AS (
  SELECT name FROM kernels WHERE name LIKE $name GROUP BY name ORDER BY sum(dur_ns) DESC, name LIMIT 1
)
SELECT
  row_number() OVER (PARTITION BY rank, device ORDER BY start_ns, id) - 1 AS instance,
  rank, device, start_ns, dur_ns,
  start_ns - lag(start_ns) OVER (PARTITION BY rank, device ORDER BY start_ns, id) AS since_last_start_ns,
  name
FROM kernels
WHERE name IN (FROM chosen)
ORDER BY rank, device, start_ns, id
