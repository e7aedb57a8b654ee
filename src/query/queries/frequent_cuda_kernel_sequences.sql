-- title: Sequences of kernels that operators launch
-- like: HTA get_frequent_cuda_kernel_sequences
-- needs: operator_gpu
-- param: min_kernels=3 shortest sequence
-- param: operator=% pattern (LIKE) of the operator
-- param: rows=50 most rows
-- Calls of an operator by the kernels that they launched, in order: how often, and the time of those kernels. Frequent
-- sequences of short kernels are candidates for fusion. A call of an operator that is part of another counts in both.
WITH sequences AS (
  SELECT operator_gpu.operator_id, string_agg(short_name, ' > ' ORDER BY kernels.start_ns, kernels.id) AS kernel_sequence,
         count(*) AS kernels, sum(kernels.dur_ns)::BIGINT AS gpu_ns
  FROM operator_gpu JOIN kernels ON kernels.id = operator_gpu.gpu_id
  GROUP BY operator_gpu.operator_id
)
SELECT operators.name AS operator, kernels, count(*) AS count, sum(gpu_ns)::BIGINT AS gpu_ns, sum(operators.dur_ns)::BIGINT AS cpu_ns, kernel_sequence
FROM sequences JOIN operators ON operators.id = operator_id
WHERE kernels >= $min_kernels AND operators.name LIKE $operator
GROUP BY operators.name, kernels, kernel_sequence
ORDER BY count DESC, sum(gpu_ns) DESC, operators.name, kernel_sequence
LIMIT $rows
