-- title: Gaps in which a GPU does nothing
-- like: nsys analyze gpu_gaps
-- needs: gpu
-- param: threshold_ns=500000000 shortest gap listed
-- param: rows=50 most rows
-- Longest first, between the first and the last item of a device; `warpscope gaps` and view gap_parts tell why.
SELECT
  row_number() OVER (ORDER BY gaps.dur_ns DESC, gap) AS "Row#",
  gaps.dur_ns AS "Duration (ns)",
  gaps.start_ns AS "Start (ns)",
  gpu.pid AS "PID",
  gpu.device AS "Device ID",
  gpu.context AS "Context ID",
  gaps.cause AS "Cause",
  gaps.subject AS "Subject"
FROM gaps JOIN gpu ON gpu.id = gaps.after_gpu_id
WHERE gaps.before_gpu_id IS NOT NULL AND gaps.dur_ns >= $threshold_ns
ORDER BY "Row#"
LIMIT $rows
