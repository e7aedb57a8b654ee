-- title: Device memory over time
-- like: nsys recipe gpu_vram_usage_trace
-- needs: memory_events
-- Allocations and frees on devices in time order, with what was in use after each: as recorded, and as their sum from
-- the start of the recording.
SELECT device, time_ns, bytes, total_allocated_bytes, total_reserved_bytes,
       (sum(bytes) OVER (PARTITION BY device ORDER BY time_ns, row ROWS UNBOUNDED PRECEDING))::BIGINT AS since_start_bytes
FROM (SELECT *, row_number() OVER () AS row FROM memory_events)
WHERE device IS NOT NULL
ORDER BY device, time_ns, row
