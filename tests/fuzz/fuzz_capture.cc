// Any bytes as a capture stream: no crash, bounded memory, and rows that hold what they promise. Blocks with a wrong
// checksum are left out by the importer, so the target repairs the checksums first.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "import/capture/capture_importer.h"
#include "wire/format.h"

namespace {

namespace import = warpscope::import;
namespace model = warpscope::model;
namespace wire = warpscope::wire;

void RepairChecksums(std::string& bytes) {
  size_t at = sizeof(wire::FileHeader);
  while (bytes.size() >= at + sizeof(wire::BlockHeader)) {
    wire::BlockHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof(header));
    const size_t payload = at + sizeof(header);
    if (header.payload_bytes > bytes.size() - payload)
      header.payload_bytes = static_cast<uint32_t>(bytes.size() - payload);
    header.magic = wire::kBlockMagic;
    header.checksum = wire::Checksum(reinterpret_cast<const uint8_t*>(bytes.data()) + payload, header.payload_bytes);
    std::memcpy(bytes.data() + at, &header, sizeof(header));
    at = payload + header.payload_bytes;
  }
}

void Check(model::Trace& trace) {
  trace.Finish();
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.stream[row] >= trace.streams.size() || trace.gpu.dur_ns[row] < 0) std::abort();
    if (trace.gpu.call[row] != model::kNone && trace.gpu.call[row] >= trace.host.size()) std::abort();
    static_cast<void>(trace.GpuName(row));
  }
  for (const model::KernelProfile& profile : trace.kernel_profiles) {
    if (profile.metric_begin > profile.metric_end || profile.metric_end > trace.metrics.size()) std::abort();
    if (profile.device != model::kNone && profile.device >= trace.devices.size()) std::abort();
    if (profile.config != model::kNone && profile.config >= trace.launch_configs.size()) std::abort();
  }
  for (const model::CounterWindow& window : trace.counter_windows) {
    if (window.device >= trace.devices.size() || window.metric_begin > window.metric_end ||
        window.metric_end > trace.sampled_metrics.size() || window.sample_begin > window.sample_end ||
        window.sample_end > trace.device_samples.size())
      std::abort();
    for (uint32_t row = window.sample_begin; row < window.sample_end; ++row) {
      const model::DeviceSample& sample = trace.device_samples[row];
      if (sample.dur_ns <= 0 ||
          sample.value_begin + (window.metric_end - window.metric_begin) > trace.sampled_values.size())
        std::abort();
    }
  }
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    if (trace.host.thread[row] >= trace.threads.size() || trace.host.dur_ns[row] < 0) std::abort();
    static_cast<void>(trace.HostName(row));
  }
  for (const model::Sync& sync : trace.syncs) {
    if (sync.stream != model::kNone && sync.stream >= trace.streams.size()) std::abort();
    if (sync.wait_on_stream != model::kNone && sync.wait_on_stream >= trace.streams.size()) std::abort();
  }
  for (const model::MemoryEvent& event : trace.memory) {
    if (event.device != model::kNone && event.device >= trace.devices.size()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  RepairChecksums(bytes);
  static_cast<void>(import::capture::kImporter.sniff({bytes, true}));
  model::Trace trace;
  const auto source = import::OpenMemory(bytes);
  if (import::capture::kImporter.read(*source, "fuzz", {}, &trace).ok()) Check(trace);
  return 0;
}
