-- title: Kernels that are too short to be worth a launch
-- like: TraceLens short kernels
-- needs: kernels
-- param: below_ns=10000 duration below which a kernel is short
-- Kernels below the threshold by name: candidates for fusion and graphs.
SELECT count(*) AS count, sum(dur_ns)::BIGINT AS total_ns, round(avg(dur_ns), 1) AS mean_ns, round(avg(call_dur_ns), 1) AS mean_call_ns,
       round(100.0 * count(*) / (SELECT count(*) FROM kernels), 2) AS of_all_kernels_pct, short_name AS kernel
FROM kernels
WHERE dur_ns < $below_ns
GROUP BY short_name
ORDER BY count DESC, total_ns DESC, kernel
