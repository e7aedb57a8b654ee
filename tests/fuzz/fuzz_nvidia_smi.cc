// Any bytes as output of nvidia-smi (-q, -q -x, CSV, dmon, pmon, table ...): no crash, and readings that hold what they
// promise.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "import/nvidia_smi/nvidia_smi_importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  namespace import = warpscope::import;
  static_cast<void>(import::nvidia_smi::kImporter.sniff({text, true}));
  warpscope::model::Trace trace;
  const auto source = import::OpenMemory(text);
  if (!import::nvidia_smi::kImporter.read(*source, "fuzz", {}, &trace).ok()) return 0;
  for (const auto& reading : trace.readings) {
    if (reading.device != warpscope::model::kNone && reading.device >= trace.devices.size()) std::abort();
    if (reading.value && !std::isfinite(*reading.value)) std::abort();
    if (reading.name == warpscope::model::kNoString || reading.source != 0) std::abort();
  }
  return 0;
}
