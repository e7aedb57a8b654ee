-- title: CUDA API trace
-- like: nsys stats cuda_api_trace
-- alias: cudaapitrace
-- needs: api_calls
-- Every call in time order. Return values and thread priorities are not read from recordings: Result and T-Pri are
-- NULL.
SELECT
  start_ns AS "Start (ns)",
  dur_ns AS "Duration (ns)",
  regexp_replace(name, '_v\d{4}$', '') AS "Name",
  NULL::BIGINT AS "Result",
  correlation AS "CorrID",
  pid AS "Pid",
  tid AS "Tid",
  NULL::BIGINT AS "T-Pri",
  thread_name AS "Thread Name"
FROM api_calls
ORDER BY "Start (ns)", id
