-- title: Collectives by kind
-- like: nsys recipe nccl_sum; TraceLens nccl_summary
-- alias: nccl_gpu_proj_sum
-- needs: collectives
-- Device time of collective and point-to-point communication; exposed is the part during which no compute ran on the
-- device.
SELECT
  rank, name, group_name, group_size, count(*) AS calls, sum(dur_ns)::BIGINT AS total_ns, sum(exposed_ns)::BIGINT AS exposed_ns,
  round(avg(dur_ns), 1) AS mean_ns, round(median(dur_ns), 1) AS median_ns, min(dur_ns) AS min_ns, max(dur_ns) AS max_ns,
  sum(bytes)::BIGINT AS bytes, round(sum(bytes) * 1e9 / nullif(sum(dur_ns) FILTER (bytes IS NOT NULL), 0)) AS bytes_per_s
FROM collectives
GROUP BY rank, name, group_name, group_size
ORDER BY total_ns DESC, rank, name, group_name
