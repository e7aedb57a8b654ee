-- title: Kernel time by category
-- like: TraceLens ops_summary_by_category
-- needs: kernels
-- Kernels by what their names tell that they do.
SELECT category, count(*) AS count, count(DISTINCT name) AS names, sum(dur_ns)::BIGINT AS total_ns,
       round(100.0 * sum(dur_ns) / sum(sum(dur_ns)) OVER (), 2) AS time_pct
FROM kernels
GROUP BY category
ORDER BY total_ns DESC, category
