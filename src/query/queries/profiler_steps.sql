-- title: Steps
-- like: HTA get_profiler_steps
-- needs: steps
-- The steps that were found, with their device work. Warm-up steps are left out of statistics elsewhere.
SELECT steps.rank, steps.step, any_value(label) AS label, any_value(source) AS source, any_value(steps.start_ns) AS start_ns, any_value(steps.dur_ns) AS dur_ns,
       any_value(gpu_end_ns) AS gpu_end_ns, count(gpu.id) AS gpu_items, coalesce(sum(gpu.dur_ns), 0)::BIGINT AS gpu_ns,
       any_value(is_warmup) AS is_warmup, any_value(is_outlier) AS is_outlier
FROM steps
LEFT JOIN gpu ON gpu.step = steps.step AND gpu.rank IS NOT DISTINCT FROM steps.rank
GROUP BY steps.rank, steps.step
ORDER BY steps.rank, steps.step
