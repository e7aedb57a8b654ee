-- title: CUDA kernel launch and execution time summary
-- like: nsys stats cuda_kern_exec_sum
-- alias: kernexecsum
-- needs: kernels api_calls
-- Kernels by launch call, thread and device. API time is the launch call, queue time runs from its end to the start of
-- the kernel (only where the kernel had not started before), total time from the start of the call to the end of
-- kernel or call, whichever is later. QCount is the number of launches with queue time; Q columns are over those.
SELECT
  pid AS "PID",
  tid AS "TID",
  device AS "DevId",
  count(*) AS "Count",
  count(queue_ns) AS "QCount",
  round(avg(total_ns), 1) AS "TAvg (ns)",
  round(median(total_ns), 1) AS "TMed (ns)",
  min(total_ns) AS "TMin (ns)",
  max(total_ns) AS "TMax (ns)",
  CASE WHEN count(total_ns) > 0 THEN round(coalesce(stddev_samp(total_ns), 0), 1) END AS "TStdDev (ns)",
  round(avg(call_dur_ns), 1) AS "AAvg (ns)",
  round(median(call_dur_ns), 1) AS "AMed (ns)",
  min(call_dur_ns) AS "AMin (ns)",
  max(call_dur_ns) AS "AMax (ns)",
  CASE WHEN count(call_dur_ns) > 0 THEN round(coalesce(stddev_samp(call_dur_ns), 0), 1) END AS "AStdDev (ns)",
  round(avg(queue_ns), 1) AS "QAvg (ns)",
  round(median(queue_ns), 1) AS "QMed (ns)",
  min(queue_ns) AS "QMin (ns)",
  max(queue_ns) AS "QMax (ns)",
  CASE WHEN count(queue_ns) > 0 THEN round(coalesce(stddev_samp(queue_ns), 0), 1) END AS "QStdDev (ns)",
  round(avg(dur_ns), 1) AS "KAvg (ns)",
  round(median(dur_ns), 1) AS "KMed (ns)",
  min(dur_ns) AS "KMin (ns)",
  max(dur_ns) AS "KMax (ns)",
  CASE WHEN count(dur_ns) > 0 THEN round(coalesce(stddev_samp(dur_ns), 0), 1) END AS "KStdDev (ns)",
  api AS "API Name",
  name AS "Kernel Name"
FROM (
  SELECT
    id, pid, tid, device, start_ns, dur_ns, call_start_ns, call_dur_ns,
    greatest(end_ns, call_start_ns + call_dur_ns) - call_start_ns AS total_ns,
    CASE WHEN delay_ns > 0 THEN delay_ns END AS queue_ns,
    regexp_replace(call_name, '_v\d{4}$', '') AS api,
    name
  FROM kernels
  WHERE call_id IS NOT NULL
)
GROUP BY pid, tid, device, api, name
ORDER BY sum(total_ns) DESC, "Kernel Name", "API Name", "PID", "TID", "DevId"
