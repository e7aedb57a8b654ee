-- title: Where the time of each device goes
-- like: TraceLens gpu_timeline
-- needs: gpu
-- From the first to the last item: compute, then communication and copies that nothing hid, then idle.
SELECT rank, device, end_ns - start_ns AS total_ns, busy_ns, idle_ns, compute_ns AS computation_ns, communication_ns AS total_comm_ns, exposed_communication_ns AS exposed_comm_ns,
       copy_ns AS total_memcpy_ns, exposed_copy_ns AS exposed_memcpy_ns,
       round(100.0 * busy_ns / nullif(end_ns - start_ns, 0), 2) AS busy_pct,
       round(100.0 * idle_ns / nullif(end_ns - start_ns, 0), 2) AS idle_pct
FROM device_time
ORDER BY rank, device
