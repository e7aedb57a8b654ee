-- title: Synchronous copies
-- like: nsys analyze cuda_memcpy_sync
-- needs: copies
-- param: rows=50 most rows
-- Longest first; copies within a device, and those of at most 64 KiB to it, are left out: they do not hold the host.
-- Such a call holds the host until the copy has ended: use the asynchronous form with pinned memory.
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
WHERE call_name LIKE '%Memcpy%' AND call_name NOT LIKE '%Async%' AND copy_kind IS DISTINCT FROM 'device to device'
  AND NOT (copy_kind = 'host to device' AND bytes IS NOT NULL AND bytes <= 65536)
ORDER BY "Duration (ns)" DESC, id
LIMIT $rows
