-- title: Bandwidth of copies and memsets
-- like: HTA get_memory_bw_summary
-- needs: copies
-- Over single copies and memsets with a recorded size; total is all bytes over all time.
SELECT rank, device, operation, count(*) AS count, sum(bytes)::BIGINT AS bytes,
       round(sum(bytes) * 1e9 / nullif(sum(dur_ns), 0)) AS total_bytes_per_s,
       round(avg(bandwidth_bytes_per_s)) AS mean_bytes_per_s, round(min(bandwidth_bytes_per_s)) AS min_bytes_per_s,
       round(quantile_cont(bandwidth_bytes_per_s, 0.25)) AS p25_bytes_per_s, round(median(bandwidth_bytes_per_s)) AS p50_bytes_per_s,
       round(quantile_cont(bandwidth_bytes_per_s, 0.75)) AS p75_bytes_per_s, round(max(bandwidth_bytes_per_s)) AS max_bytes_per_s
FROM (
  SELECT id, rank, device, start_ns, dur_ns, bytes, bandwidth_bytes_per_s, operation FROM copies
  UNION ALL
  SELECT id, rank, device, start_ns, dur_ns, bytes, bandwidth_bytes_per_s, '[CUDA memset]' FROM memsets
)
WHERE bytes IS NOT NULL
GROUP BY rank, device, operation
ORDER BY rank, device, operation
