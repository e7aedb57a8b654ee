// Any bytes as a report of Nsight Compute: no crash, and rows that refer to rows that are there.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "import/container/byte_source.h"
#include "import/mark.h"
#include "import/ncu/ncu_importer.h"
#include "model/trace.h"

namespace {

void Check(bool good) {
  if (!good) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto& importer = warpscope::import::ncu::kImporter;
  static_cast<void>(importer.sniff({text, true}));
  warpscope::model::Trace trace;
  const auto source = warpscope::import::OpenMemory(text);
  warpscope::import::Mark mark(&trace);
  const auto status = importer.read(*source, "fuzz", {}, &trace);
  if (!status.ok()) {
    mark.TakeBack();
    Check(trace.kernel_profiles.empty() && trace.metrics.empty());
    return 0;
  }
  trace.Finish();
  uint32_t at = 0;
  for (const auto& profile : trace.kernel_profiles) {
    Check(profile.metric_begin >= at && profile.metric_begin <= profile.metric_end);
    Check(profile.metric_end <= trace.metrics.size() && profile.advice_begin <= profile.advice_end);
    Check(profile.advice_end <= trace.advice.size() && profile.name < trace.strings.size());
    Check(profile.config == UINT32_MAX || profile.config < trace.launch_configs.size());
    Check(profile.code == UINT32_MAX || profile.code < trace.kernel_codes.size());
    Check(profile.device == UINT32_MAX || profile.device < trace.devices.size());
    at = profile.metric_end;
  }
  for (const auto& metric : trace.metrics)
    Check(metric.name < trace.strings.size() && metric.unit < trace.strings.size());
  for (const auto& device : trace.devices) Check(device.attribute_end <= trace.metrics.size());
  return 0;
}
