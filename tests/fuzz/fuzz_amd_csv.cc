// Any bytes as a table of AMD's tools (rocprofv3, rocprof, rocprof-compute): no crash, and the same trace each time.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "import/import.h"

namespace {

uint64_t Outcome(std::string_view text) {
  auto trace = warpscope::import::LoadBytes(text, "fuzz");
  if (!trace.ok()) {
    if (trace.status().message().empty()) std::abort();
    return 0;
  }
  uint64_t hash = 1;
  const auto mix = [&](uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL; };
  for (uint32_t row = 0; row < trace->gpu.size(); ++row) {
    mix(static_cast<uint64_t>(trace->gpu.start_ns[row]));
    mix(trace->gpu.stream[row]);
    mix(trace->gpu.call[row]);
  }
  for (const auto& profile : trace->kernel_profiles) {
    if (profile.metric_begin > profile.metric_end || profile.metric_end > trace->metrics.size()) std::abort();
    mix(profile.metric_end);
  }
  mix(trace->host.size());
  mix(trace->summaries.size() + trace->readings.size());
  return hash;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (Outcome(text) != Outcome(text)) std::abort();
  return 0;
}
