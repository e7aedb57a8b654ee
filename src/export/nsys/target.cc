// What the recording says about the machine: devices, streams, processes, threads, the session and the export itself.
#include <algorithm>
#include <set>

#include "base/version.h"
#include "export/nsys/job.h"

namespace warpscope::exporting {
namespace {

constexpr std::string_view kSchema[] = {"3", "25", "0"};  // of the tables written here

void WriteDevices(Job& job) {
  if (job.trace.devices.empty()) return;
  const std::string columns =
      "vmId, id, name, busLocation, isDiscrete, l2CacheSize, totalMemory, memoryBandwidth, clockRate, smCount, "
      "pwGpuId, "
      "uuid, luid, chipName, cuDevice, maxRegistersPerBlock, maxShmemPerBlock, maxShmemPerBlockOptin, maxShmemPerSm, "
      "maxRegistersPerSm, threadsPerWarp, maxWarpsPerSm, maxThreadsPerBlock, computeMajor, computeMinor";
  job.file.MakeTable("TARGET_INFO_GPU", columns);
  Insert insert(job.file, "TARGET_INFO_GPU", columns);
  for (const model::Device& device : job.trace.devices) {
    insert.Int(job.ids.Machine(device.source)).Int(device.id);
    device.name.empty() ? insert.Null() : insert.Text(device.name);
    insert.Null().Null().Null().Maybe(device.memory_bytes).Null().Null().Maybe(device.sm_count).Null().Null().Null();
    insert.Null().Int(device.id).Maybe(device.registers_per_block).Maybe(device.shared_bytes_per_block);
    insert.Maybe(device.shared_bytes_per_block_optin).Maybe(device.shared_bytes_per_sm).Maybe(device.registers_per_sm);
    insert.Maybe(device.warp_size);
    const uint32_t warp = device.warp_size.value_or(0);
    device.max_threads_per_sm&& warp > 0 ? insert.Int(*device.max_threads_per_sm / warp) : insert.Null();
    insert.Maybe(device.max_threads_per_block).Maybe(device.cc_major).Maybe(device.cc_minor).Row();
  }
}

void WriteStreams(Job& job) {
  if (job.trace.streams.empty()) return;
  const std::string columns = "streamId, hwId, vmId, processId, contextId, priority, flag";
  job.file.MakeTable("TARGET_INFO_CUDA_STREAM", columns);
  Insert insert(job.file, "TARGET_INFO_CUDA_STREAM", columns);
  for (const model::Stream& stream : job.trace.streams) {
    const int64_t process = job.ids.Domain(stream.link_domain);
    insert.Int(stream.id).Int(process >> 56 & 0xff).Int(process >> 48 & 0xff).Int(process >> 24 & 0xffffff);
    stream.context < 0 ? insert.Null() : insert.Int(stream.context);
    insert.Null().Int(0).Row();
  }
}

void WriteProcesses(Job& job) {
  if (job.trace.processes.empty()) return;
  job.file.MakeTable("PROCESSES", "globalPid, pid, name");
  Insert insert(job.file, "PROCESSES", "globalPid, pid, name");
  for (uint32_t row = 0; row < job.trace.processes.size(); ++row) {
    const model::Process& process = job.trace.processes[row];
    insert.Int(job.ids.Process(row)).Int(process.pid);
    process.name == model::kNoString ? insert.Null() : insert.Text(job.trace.Text(process.name));
    insert.Row();
  }
  const bool any = std::any_of(job.trace.threads.begin(), job.trace.threads.end(),
                               [](const model::Thread& thread) { return thread.name != model::kNoString; });
  if (!any) return;
  job.file.MakeTable("ThreadNames", "nameId, priority, globalTid");
  Insert names(job.file, "ThreadNames", "nameId, priority, globalTid");
  for (uint32_t row = 0; row < job.trace.threads.size(); ++row) {
    const model::Thread& thread = job.trace.threads[row];
    if (thread.name != model::kNoString) names.Int(thread.name).Null().Int(job.ids.Thread(row)).Row();
  }
}

void WriteSession(Job& job) {
  const model::Trace& trace = job.trace;
  if (job.base_ns != 0) {
    job.file.MakeTable("TARGET_INFO_SESSION_START_TIME", "utcEpochNs, utcTime, localTime");
    Insert(job.file, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs").Int(job.base_ns).Row();
  }
  int64_t end_ns = job.base_ns;
  for (uint32_t row = 0; row < trace.host.size(); ++row) end_ns = std::max(end_ns, trace.host.end_ns(row));
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) end_ns = std::max(end_ns, trace.gpu.end_ns(row));
  const std::string columns = "globalVid, duration, startTime, stopTime";
  job.file.MakeTable("ANALYSIS_DETAILS", columns);
  Insert insert(job.file, "ANALYSIS_DETAILS", columns);
  insert.Int(job.ids.Machine(0)).Int(end_ns - job.base_ns).Int(0).Int(end_ns - job.base_ns).Row();
}

void WriteExportFacts(Job& job) {
  job.file.MakeTable("META_DATA_EXPORT", "name, value");
  Insert insert(job.file, "META_DATA_EXPORT", "name, value");
  const std::string schema = std::string(kSchema[0]) + "." + std::string(kSchema[1]) + "." + std::string(kSchema[2]);
  const std::pair<std::string_view, std::string_view> facts[] = {
      {"EXPORT_PRODUCT_NAME", kProductName},       {"EXPORT_PRODUCT_VERSION", kVersion},
      {"EXPORT_SCHEMA_VERSION", schema},           {"EXPORT_SCHEMA_VERSION_MAJOR", kSchema[0]},
      {"EXPORT_SCHEMA_VERSION_MINOR", kSchema[1]}, {"EXPORT_SCHEMA_VERSION_MICRO", kSchema[2]},
      {"EXPORT_PARAM_EXPORT_TYPE", "SQLite"},
  };
  for (const auto& [name, value] : facts) insert.Text(name).Text(value).Row();
}

}  // namespace

void WriteTarget(Job& job) {
  WriteDevices(job);
  WriteStreams(job);
  WriteProcesses(job);
  WriteSession(job);
  WriteExportFacts(job);
}

}  // namespace warpscope::exporting
