// Any bytes as rocprofv3 JSON: no crash, the same trace each time, and valid references.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "import/container/byte_source.h"
#include "import/import.h"
#include "import/rocprofv3/rocprofv3_importer.h"

namespace {

using warpscope::model::kNone;

uint64_t Outcome(std::string_view text) {
  warpscope::model::Trace trace;
  const auto source = warpscope::import::OpenMemory(text);
  if (!warpscope::import::rocprofv3::ReadJson(*source, "fuzz", {}, &trace).ok()) return 0;
  trace.Finish();
  uint64_t hash = 1;
  const auto mix = [&](uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL; };
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.stream[row] >= trace.streams.size()) std::abort();
    if (trace.gpu.call[row] != kNone && trace.gpu.call[row] >= trace.host.size()) std::abort();
    mix(static_cast<uint64_t>(trace.gpu.start_ns[row]) + trace.GpuName(row).size());
  }
  for (uint32_t row = 0; row < trace.host.size(); ++row)
    mix(static_cast<uint64_t>(trace.host.start_ns[row]) + trace.HostName(row).size());
  for (const auto& event : trace.memory) mix(static_cast<uint64_t>(event.bytes));
  mix(trace.kernel_profiles.size() * 31 + trace.metrics.size());
  return hash;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (Outcome(text) != Outcome(text)) std::abort();
  return 0;
}
