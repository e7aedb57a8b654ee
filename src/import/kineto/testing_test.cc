// The functions of testing.h.
#include "import/kineto/testing.h"

#include <algorithm>

namespace warpscope::import::kineto::testing {
namespace {

using model::kNone;
using model::Trace;

std::string ThreadText(const Trace& trace, uint32_t row) {
  if (row == kNone) return "-";
  const model::Thread& thread = trace.threads[row];
  const model::Process& process = trace.processes[thread.process];
  return std::to_string(process.source) + "/" + std::to_string(process.pid) + std::string(trace.Text(process.name)) +
         "/" + std::to_string(process.rank.value_or(-1)) + "/" + std::to_string(thread.tid) +
         std::string(trace.Text(thread.name));
}

std::string StreamText(const Trace& trace, uint32_t row) {
  if (row == kNone) return "-";
  const model::Stream& stream = trace.streams[row];
  const model::Device& device = trace.devices[stream.device];
  return std::to_string(device.source) + "/" + std::to_string(device.id) + device.name + "/" +
         std::to_string(stream.context) + "/" + std::to_string(stream.id);
}

std::string HostText(const Trace& trace, uint32_t row) {
  if (row == kNone) return "-";
  const model::HostTable& host = trace.host;
  std::string text = "host " + ThreadText(trace, host.thread[row]) + " " + std::to_string(host.start_ns[row]) + "+" +
                     std::to_string(host.dur_ns[row]) + " " + std::to_string(static_cast<int>(host.kind[row])) + " " +
                     std::string(trace.HostName(row)) + " " + std::to_string(host.correlation[row]) + " " +
                     std::to_string(host.external_id[row]) + " " + std::to_string(host.forward_thread[row]);
  if (host.detail[row] != kNone) {
    const model::OpDetail& detail = trace.op_details[host.detail[row]];
    for (const model::StringId id :
         {detail.input_dims, detail.input_types, detail.input_strides, detail.concrete_inputs, detail.call_stack}) {
      text += " " + std::string(trace.Text(id));
    }
  }
  return text;
}

std::string GpuText(const Trace& trace, uint32_t row) {
  const model::GpuTable& gpu = trace.gpu;
  std::string text = "gpu " + StreamText(trace, gpu.stream[row]) + " " + std::to_string(gpu.start_ns[row]) + "+" +
                     std::to_string(gpu.dur_ns[row]) + " " + std::to_string(static_cast<int>(gpu.kind[row])) + " " +
                     std::string(trace.GpuName(row)) + " " + std::to_string(gpu.correlation[row]) + " " +
                     std::to_string(gpu.external_id[row]) + " <- " + HostText(trace, gpu.call[row]);
  if (const auto* launch = trace.Launch(row)) {
    text += " " + std::to_string(launch->grid[0]) + "x" + std::to_string(launch->block[0]) + " " +
            std::to_string(launch->registers_per_thread.value_or(0)) + " " +
            std::to_string(launch->shared_bytes.value_or(0)) + " " + std::to_string(launch->graph_id);
  }
  if (const auto* copy = trace.Copy(row))
    text += " " + std::to_string(static_cast<int>(copy->kind)) + " " + std::to_string(copy->bytes.value_or(0));
  return text;
}

}  // namespace

std::string Describe(const Trace& trace) {
  std::vector<std::string> lines;
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    lines.push_back(HostText(trace, row) + " ^ " +
                    (trace.host.parent[row] == kNone ? "-" : std::string(trace.HostName(trace.host.parent[row]))));
  }
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) lines.push_back(GpuText(trace, row));
  for (const auto& row : trace.gpu_annotations) {
    lines.push_back("annotation " + StreamText(trace, row.stream) + " " + std::to_string(row.start_ns) + "+" +
                    std::to_string(row.dur_ns) + " " + std::string(trace.Text(row.name)));
  }
  for (const auto& row : trace.syncs) {
    lines.push_back("sync " + StreamText(trace, row.stream) + " " + StreamText(trace, row.wait_on_stream) + " " +
                    std::to_string(row.start_ns) + "+" + std::to_string(row.dur_ns) + " " +
                    std::to_string(static_cast<int>(row.kind)) + " " + HostText(trace, row.call));
  }
  for (const auto& row : trace.memory) {
    lines.push_back("memory " + std::to_string(row.time_ns) + " " + std::to_string(row.bytes) + " " +
                    std::to_string(row.address) + " " + ThreadText(trace, row.thread));
  }
  for (const auto& row : trace.counters)
    lines.push_back("counter " + std::to_string(row.time_ns) + " " + std::string(trace.Text(row.name)) + " " +
                    std::to_string(row.value));
  for (const auto& row : trace.collectives) {
    lines.push_back("collective " + std::string(trace.Text(row.name)) + " " + std::string(trace.Text(row.comms_id)) +
                    " " + (row.gpu_row == kNone ? "-" : GpuText(trace, row.gpu_row)) + " " +
                    HostText(trace, row.host_row));
  }
  for (uint32_t row = 0; row < trace.threads.size(); ++row) lines.push_back("thread " + ThreadText(trace, row));
  for (uint32_t row = 0; row < trace.streams.size(); ++row)
    lines.push_back("stream " + StreamText(trace, row) + " " + std::string(trace.Text(trace.streams[row].name)));
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  for (const auto& entry : trace.ledger.Entries()) {
    text += "ledger " + std::string(entry.name) + " " + std::to_string(entry.count) + " " +
            (entry.first_offset_bytes ? std::to_string(*entry.first_offset_bytes) : "-") + "\n";
  }
  for (const auto& source : trace.sources)
    text += "source " + source.producer + " " + std::to_string(source.text_bytes) + "\n";
  return text;
}

}  // namespace warpscope::import::kineto::testing
