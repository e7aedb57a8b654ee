-- title: Operators by the kernels that they launch
-- like: TraceLens ops_summary
-- needs: operators launches
-- Operators that launch device work themselves, by name; the time is that of the work.
SELECT operator, count(DISTINCT operator_id) AS calls, count(*) AS gpu_items, sum(dur_ns)::BIGINT AS gpu_ns,
       round(sum(dur_ns) / count(DISTINCT operator_id), 1) AS mean_gpu_ns,
       round(100.0 * sum(dur_ns) / sum(sum(dur_ns)) OVER (), 2) AS time_pct
FROM gpu
WHERE operator IS NOT NULL
GROUP BY operator
ORDER BY gpu_ns DESC, operator
