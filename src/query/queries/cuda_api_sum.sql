-- title: CUDA API summary
-- like: nsys stats cuda_api_sum; rocprof hip_api_stats
-- alias: cudaapisum hip_api_stats hip_stats
-- needs: api_calls
-- Calls of the CUDA or HIP API by name. Time (%) is the share of the time of all rows listed, not of wall time. Names
-- lose a version suffix of four digits ("_v7000"), as in nsys.
SELECT
  round(100.0 * sum(dur_ns) / sum(sum(dur_ns)) OVER (), 1) AS "Time (%)",
  sum(dur_ns)::BIGINT AS "Total Time (ns)",
  count(*) AS "Num Calls",
  round(avg(dur_ns), 1) AS "Avg (ns)",
  round(median(dur_ns), 1) AS "Med (ns)",
  min(dur_ns) AS "Min (ns)",
  max(dur_ns) AS "Max (ns)",
  round(coalesce(stddev_samp(dur_ns), 0), 1) AS "StdDev (ns)",
  regexp_replace(name, '_v\d{4}$', '') AS "Name"
FROM api_calls
GROUP BY ALL
ORDER BY "Total Time (ns)" DESC, "Name"
