-- title: Operators by their inputs
-- like: TraceLens ops_unique_args
-- needs: operators launches
-- Operators that launch device work themselves, by name, input shapes and types.
SELECT operators.name AS operator, input_dims, input_types, count(DISTINCT operators.id) AS calls, count(*) AS gpu_items, sum(gpu.dur_ns)::BIGINT AS gpu_ns,
       round(sum(gpu.dur_ns) / count(DISTINCT operators.id), 1) AS mean_gpu_ns
FROM gpu JOIN operators ON operators.id = gpu.operator_id
GROUP BY operators.name, input_dims, input_types
ORDER BY gpu_ns DESC, operator, input_dims, input_types
