-- title: NVTX push/pop range summary
-- like: nsys stats nvtx_pushpop_sum
-- alias: nvtxppsum pushpopsum
-- needs: annotations
-- NVTX ranges, record_function blocks and step markers by name. Time (%) is the share of the time of all rows listed,
-- not of wall time.
SELECT
  round(100.0 * sum(dur_ns) / sum(sum(dur_ns)) OVER (), 1) AS "Time (%)",
  sum(dur_ns)::BIGINT AS "Total Time (ns)",
  count(*) AS "Instances",
  round(avg(dur_ns), 1) AS "Avg (ns)",
  round(median(dur_ns), 1) AS "Med (ns)",
  min(dur_ns) AS "Min (ns)",
  max(dur_ns) AS "Max (ns)",
  round(coalesce(stddev_samp(dur_ns), 0), 1) AS "StdDev (ns)",
  coalesce(domain || ':', '') || name AS "Range"
FROM annotations
WHERE style = 'PushPop'
GROUP BY "Range"
ORDER BY "Total Time (ns)" DESC, "Range"
