-- title: Each collective and what it hid behind
-- like: nsys recipe nccl_gpu_overlap_trace
-- needs: collectives
-- Collectives in time order, with the part during which compute ran on the same device.
SELECT rank, step, start_ns, dur_ns, dur_ns - exposed_ns AS overlapped_ns,
       round(100.0 * (dur_ns - exposed_ns) / nullif(dur_ns, 0), 1) AS overlapped_pct, bytes, name, group_name
FROM collectives
ORDER BY start_ns, rank, gpu_id
