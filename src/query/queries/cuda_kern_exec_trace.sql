-- title: CUDA kernel launch and execution time trace
-- like: nsys stats cuda_kern_exec_trace
-- alias: kernexectrace
-- needs: kernels api_calls
-- Every launch in time order. API time is the launch call, queue time runs from its end to the start of the kernel
-- (only where the kernel had not started before), total time from the start of the call to the end of kernel or call,
-- whichever is later.
SELECT
  call_start_ns AS "API Start (ns)",
  call_dur_ns AS "API Dur (ns)",
  CASE WHEN queue_ns IS NOT NULL THEN call_start_ns + call_dur_ns END AS "Queue Start (ns)",
  queue_ns AS "Queue Dur (ns)",
  start_ns AS "Kernel Start (ns)",
  dur_ns AS "Kernel Dur (ns)",
  total_ns AS "Total Dur (ns)",
  pid AS "PID",
  tid AS "TID",
  device AS "DevId",
  api AS "API Function",
  printf('%4d %4d %4d', grid_x, grid_y, grid_z) AS "GridXYZ",
  printf('%4d %4d %4d', block_x, block_y, block_z) AS "BlockXYZ",
  name AS "Kernel Name"
FROM (
  SELECT
    id, pid, tid, device, start_ns, dur_ns, call_start_ns, call_dur_ns,
    greatest(end_ns, call_start_ns + call_dur_ns) - call_start_ns AS total_ns,
    CASE WHEN delay_ns > 0 THEN delay_ns END AS queue_ns,
    regexp_replace(call_name, '_v\d{4}$', '') AS api,
    name, grid_x, grid_y, grid_z, block_x, block_y, block_z
  FROM kernels
  WHERE call_id IS NOT NULL
)
ORDER BY "API Start (ns)", id
