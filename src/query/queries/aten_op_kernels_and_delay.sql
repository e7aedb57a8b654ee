-- title: Kernels of operators and how long they waited
-- like: HTA get_aten_op_kernels_and_delay
-- needs: launches
-- Kernels by the innermost operator that launched them; delay is from the start of the call to the start of the
-- kernel.
SELECT operator, count(*) AS count, sum(dur_ns)::BIGINT AS kernel_ns, round(avg(dur_ns), 1) AS mean_kernel_ns,
       round(avg(start_ns - call_start_ns), 1) AS mean_delay_ns, round(median(start_ns - call_start_ns), 1) AS median_delay_ns,
       max(start_ns - call_start_ns) AS max_delay_ns, name AS kernel
FROM kernels
WHERE operator IS NOT NULL
GROUP BY operator, name
ORDER BY kernel_ns DESC, operator, kernel
