-- title: Bandwidth of copies and memsets over time
-- like: HTA get_memory_bw_time_series
-- needs: copies
-- One row a copy or memset with a recorded size.
SELECT rank, device, start_ns, dur_ns, bytes, round(bandwidth_bytes_per_s) AS bytes_per_s, operation
FROM (
  SELECT id, rank, device, start_ns, dur_ns, bytes, bandwidth_bytes_per_s, operation FROM copies
  UNION ALL
  SELECT id, rank, device, start_ns, dur_ns, bytes, bandwidth_bytes_per_s, '[CUDA memset]' FROM memsets
)
WHERE bytes IS NOT NULL
ORDER BY start_ns, id
