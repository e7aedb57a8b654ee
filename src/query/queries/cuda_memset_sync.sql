-- title: Synchronous memsets
-- like: nsys analyze cuda_memset_sync
-- needs: memsets
-- param: rows=50 most rows
-- Longest first. The asynchronous form does not hold the host.
SELECT
  dur_ns AS "Duration (ns)",
  start_ns AS "Start (ns)",
  upper(left(memory, 1)) || substr(memory, 2) AS "Memory Kind",
  round(bytes / 1e6, 3) AS "Bytes (MB)",
  pid AS "PID",
  device AS "Device ID",
  context AS "Context ID",
  NULL::BIGINT AS "Green Context ID",
  stream AS "Stream ID",
  call_name AS "API Name"
FROM memsets
WHERE call_name LIKE '%Memset%' AND call_name NOT LIKE '%Async%'
ORDER BY "Duration (ns)" DESC, id
LIMIT $rows
