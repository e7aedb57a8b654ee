-- title: Busy and idle time of each device
-- like: HTA get_temporal_breakdown
-- needs: gpu
-- Time from the first to the last item: compute is kernels that are no communication, non-compute is communication,
-- copies and memsets while no compute ran, idle is nothing.
SELECT rank, device, end_ns - start_ns AS window_ns, idle_ns, compute_ns, busy_ns - compute_ns AS non_compute_ns, kernel_ns,
       round(100.0 * idle_ns / nullif(end_ns - start_ns, 0), 2) AS idle_pct,
       round(100.0 * compute_ns / nullif(end_ns - start_ns, 0), 2) AS compute_pct,
       round(100.0 * (busy_ns - compute_ns) / nullif(end_ns - start_ns, 0), 2) AS non_compute_pct
FROM device_time
ORDER BY rank, device
