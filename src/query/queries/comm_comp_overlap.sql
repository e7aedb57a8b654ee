-- title: Communication hidden behind compute
-- like: HTA get_comm_comp_overlap
-- needs: collectives
-- Share of the communication time of a device during which compute ran as well.
SELECT rank, device, communication_ns, compute_communication_overlap_ns AS overlap_ns, exposed_communication_ns,
       round(100.0 * compute_communication_overlap_ns / nullif(communication_ns, 0), 2) AS overlap_pct
FROM device_time
WHERE communication_ns > 0
ORDER BY rank, device
