#include "describe.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpscope::round_trip {
namespace {

using model::kNone;
using model::Trace;

template <typename T>
std::string Maybe(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "-";
}

std::string ThreadOf(const Trace& trace, uint32_t row) {
  if (row == kNone) return "-";
  const model::Thread& thread = trace.threads[row];
  const model::Process& process = trace.processes[thread.process];
  return fmt::format("pid {} '{}' rank {} tid {} '{}'", process.pid, trace.Text(process.name), Maybe(process.rank),
                     thread.tid, trace.Text(thread.name));
}

std::string DeviceOf(const Trace& trace, uint32_t row) {
  return row == kNone ? "-" : fmt::format("{} '{}'", trace.devices[row].id, trace.devices[row].name);
}

std::string StreamOf(const Trace& trace, uint32_t row) {
  if (row == kNone) return "-";
  const model::Stream& stream = trace.streams[row];
  return fmt::format("device {} context {} stream {} '{}'", DeviceOf(trace, stream.device), stream.context, stream.id,
                     trace.Text(stream.name));
}

std::string HostOf(const Trace& trace, uint32_t row) {
  if (row == kNone) return "-";
  const model::HostTable& host = trace.host;
  std::string text =
      fmt::format("{} {}+{} kind {} '{}' {} {} {}", ThreadOf(trace, host.thread[row]), host.start_ns[row],
                  host.dur_ns[row], static_cast<int>(host.kind[row]), trace.HostName(row), host.correlation[row],
                  host.external_id[row], host.forward_thread[row]);
  if (host.detail[row] != kNone) {
    const model::OpDetail& detail = trace.op_details[host.detail[row]];
    text += fmt::format(" {} {} {} {} {}", trace.Text(detail.input_dims), trace.Text(detail.input_types),
                        trace.Text(detail.input_strides), trace.Text(detail.concrete_inputs),
                        trace.Text(detail.call_stack));
  }
  return text;
}

std::string GpuOf(const Trace& trace, uint32_t row) {
  if (row == kNone) return "-";
  const model::GpuTable& gpu = trace.gpu;
  std::string text =
      fmt::format("{} {}+{} kind {} '{}' {} {}", StreamOf(trace, gpu.stream[row]), gpu.start_ns[row], gpu.dur_ns[row],
                  static_cast<int>(gpu.kind[row]), trace.GpuName(row), gpu.correlation[row], gpu.external_id[row]);
  if (const model::LaunchConfig* config = trace.Launch(row)) {
    text += fmt::format(" {}x{}x{} {}x{}x{} {} {} {} {} {}", config->grid[0], config->grid[1], config->grid[2],
                        config->block[0], config->block[1], config->block[2], Maybe(config->registers_per_thread),
                        Maybe(config->shared_bytes), Maybe(config->recorded_occupancy_pct), config->graph_id,
                        config->graph_node_id);
  }
  if (const model::CopyDetail* copy = trace.Copy(row)) {
    text += fmt::format(" {} {} {} {}", static_cast<int>(copy->kind), static_cast<int>(copy->src),
                        static_cast<int>(copy->dst), Maybe(copy->bytes));
  }
  return text;
}

void AddRows(const Trace& trace, std::vector<std::string>* lines) {
  for (uint32_t row = 0; row < trace.host.size(); ++row)
    lines->push_back("host " + HostOf(trace, row) + " ^ " + HostOf(trace, trace.host.parent[row]));
  for (uint32_t row = 0; row < trace.gpu.size(); ++row)
    lines->push_back("gpu " + GpuOf(trace, row) + " <- " + HostOf(trace, trace.gpu.call[row]));
  for (const model::GpuAnnotation& row : trace.gpu_annotations) {
    lines->push_back(fmt::format("annotation {} {}+{} '{}'", StreamOf(trace, row.stream), row.start_ns, row.dur_ns,
                                 trace.Text(row.name)));
  }
  for (const model::Sync& row : trace.syncs) {
    lines->push_back(fmt::format("sync {}+{} {} {} {} {} {} <- {}", row.start_ns, row.dur_ns,
                                 static_cast<int>(row.kind), StreamOf(trace, row.stream),
                                 StreamOf(trace, row.wait_on_stream), row.correlation, row.event_record_correlation,
                                 HostOf(trace, row.call)));
  }
  for (const model::MemoryEvent& row : trace.memory) {
    lines->push_back(fmt::format("memory {} {} {} {} {} {} {}", row.time_ns, row.bytes, row.address,
                                 DeviceOf(trace, row.device), ThreadOf(trace, row.thread),
                                 Maybe(row.total_allocated_bytes), Maybe(row.total_reserved_bytes)));
  }
  for (const model::CounterSample& row : trace.counters) {
    lines->push_back(fmt::format("counter {} '{}' {} {} '{}'", row.time_ns, trace.Text(row.name),
                                 DeviceOf(trace, row.device), row.value, trace.Text(row.unit)));
  }
  for (const model::Collective& row : trace.collectives) {
    lines->push_back(fmt::format("collective '{}' {} {} {} {} {} {} {} {} of {} / {}", trace.Text(row.name),
                                 trace.Text(row.dtype), trace.Text(row.group_name), trace.Text(row.group_ranks),
                                 trace.Text(row.comms_id), Maybe(row.in_elements), Maybe(row.out_elements),
                                 Maybe(row.group_size), Maybe(row.sequence), GpuOf(trace, row.gpu_row),
                                 HostOf(trace, row.host_row)));
  }
}

}  // namespace

std::vector<std::string> Describe(const Trace& trace) {
  std::vector<std::string> lines;
  AddRows(trace, &lines);
  for (const model::Device& row : trace.devices) {
    lines.push_back(fmt::format("device {} '{}' {} {} {} {} {} {} {} {} {} {} {} {} {}", row.id, row.name, row.used,
                                Maybe(row.memory_bytes), Maybe(row.cc_major), Maybe(row.cc_minor), Maybe(row.sm_count),
                                Maybe(row.warp_size), Maybe(row.max_threads_per_block), Maybe(row.max_threads_per_sm),
                                Maybe(row.registers_per_block), Maybe(row.registers_per_sm),
                                Maybe(row.shared_bytes_per_block), Maybe(row.shared_bytes_per_block_optin),
                                Maybe(row.shared_bytes_per_sm)));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace warpscope::round_trip
