-- title: Calls that hold the host until the device is done
-- like: nsys analyze cuda_api_sync
-- needs: api_calls
-- param: rows=50 most rows
-- Longest first: synchronisation of a device, context or stream; waiting for an event is the gentler form and not
-- listed. What such a wait costs the device is in view waits.
SELECT
  dur_ns AS "Duration (ns)",
  start_ns AS "Start (ns)",
  pid AS "PID",
  tid AS "TID",
  name AS "API Name"
FROM api_calls
WHERE call_kind IN ('device sync', 'stream sync')
ORDER BY "Duration (ns)" DESC, id
LIMIT $rows
