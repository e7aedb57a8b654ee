-- title: Asynchronous copies from or to pageable memory
-- like: nsys analyze cuda_memcpy_async
-- needs: copies
-- param: rows=50 most rows
-- Longest first. Such a copy is staged through pinned memory while the host waits: allocate the host side pinned.
SELECT
  dur_ns AS "Duration (ns)",
  start_ns AS "Start (ns)",
  upper(left(src_memory, 1)) || substr(src_memory, 2) AS "Src Kind",
  upper(left(dst_memory, 1)) || substr(dst_memory, 2) AS "Dst Kind",
  round(bytes / 1e6, 3) AS "Bytes (MB)",
  pid AS "PID",
  device AS "Device ID",
  context AS "Context ID",
  NULL::BIGINT AS "Green Context ID",
  stream AS "Stream ID",
  call_name AS "API Name"
FROM copies
WHERE (src_memory = 'pageable' OR dst_memory = 'pageable') AND call_name LIKE '%Async%'
ORDER BY "Duration (ns)" DESC, id
LIMIT $rows
