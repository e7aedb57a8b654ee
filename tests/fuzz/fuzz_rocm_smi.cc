// Any bytes as output of rocm-smi or amd-smi: no crash, and every reading names a device that there is.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "import/container/byte_source.h"
#include "import/rocm_smi/rocm_smi_importer.h"
#include "model/trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(warpscope::import::rocm_smi::kImporter.sniff({text, true}));
  warpscope::model::Trace trace;
  const auto source = warpscope::import::OpenMemory(text);
  static_cast<void>(warpscope::import::rocm_smi::kImporter.read(*source, "fuzz", {}, &trace));
  for (const auto& reading : trace.readings) {
    if (reading.device != warpscope::model::kNone && reading.device >= trace.devices.size()) std::abort();
  }
  return 0;
}
