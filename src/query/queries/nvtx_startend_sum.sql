-- title: NVTX start/end range summary
-- like: nsys stats nvtx_startend_sum
-- alias: nvtxsesum startendsum
-- needs: annotations
-- NVTX ranges that were started and ended anywhere, by name. Time (%) is the share of the time of all rows listed, not
-- of wall time.
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
WHERE style = 'StartEnd'
GROUP BY "Range"
ORDER BY "Total Time (ns)" DESC, "Range"
