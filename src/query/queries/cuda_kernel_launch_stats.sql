-- title: Launches one by one
-- like: HTA get_cuda_kernel_launch_stats
-- needs: launches
-- Every launch: time in the call, time on the device, and from the start of the call to the start on the device. Short
-- kernels (shorter than their call), and launches that took long, are what to look for.
SELECT rank, correlation, call_dur_ns AS cpu_ns, dur_ns AS gpu_ns, start_ns - call_start_ns AS launch_delay_ns,
       dur_ns < call_dur_ns AS shorter_than_call, name
FROM launches
ORDER BY call_start_ns, id
