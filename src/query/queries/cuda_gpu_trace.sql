-- title: CUDA GPU trace
-- like: nsys stats cuda_gpu_trace
-- alias: gputrace
-- needs: gpu
-- Every kernel, copy and memset in time order; a MB is 1,000,000 bytes. Recordings tell shared memory as one number,
-- which stands in SMem (MB), a column that nsys does not have; StcSMem and DymSMem are NULL.
SELECT
  start_ns AS "Start (ns)",
  dur_ns AS "Duration (ns)",
  correlation AS "CorrId",
  grid_x AS "GrdX",
  grid_y AS "GrdY",
  grid_z AS "GrdZ",
  block_x AS "BlkX",
  block_y AS "BlkY",
  block_z AS "BlkZ",
  registers_per_thread AS "Reg/Trd",
  NULL::DOUBLE AS "StcSMem (MB)",
  NULL::DOUBLE AS "DymSMem (MB)",
  round(bytes / 1e6, 3) AS "Bytes (MB)",
  round(bandwidth_bytes_per_s / 1e6, 3) AS "Throughput (MB/s)",
  upper(left(src_memory, 1)) || substr(src_memory, 2) AS "SrcMemKd",
  upper(left(dst_memory, 1)) || substr(dst_memory, 2) AS "DstMemKd",
  printf('%s (%d)', device_name, device) AS "Device",
  context AS "Ctx",
  NULL::BIGINT AS "GreenCtx",
  stream AS "Strm",
  name AS "Name",
  round(shared_bytes / 1e6, 3) AS "SMem (MB)"
FROM (
  SELECT id, start_ns, dur_ns, correlation, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers_per_thread,
         shared_bytes, NULL AS bytes, NULL AS bandwidth_bytes_per_s, NULL AS src_memory, NULL AS dst_memory,
         device_name, device, context, stream, name
  FROM kernels
  UNION ALL BY NAME
  SELECT id, start_ns, dur_ns, correlation, bytes, bandwidth_bytes_per_s, src_memory, dst_memory, device_name, device,
         context, stream, operation AS name
  FROM copies
  UNION ALL BY NAME
  SELECT id, start_ns, dur_ns, correlation, bytes, bandwidth_bytes_per_s, memory AS src_memory, device_name, device,
         context, stream, '[CUDA memset]' AS name
  FROM memsets
)
ORDER BY "Start (ns)", id
