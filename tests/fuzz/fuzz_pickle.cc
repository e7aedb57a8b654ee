// Any bytes as a memory snapshot of PyTorch: no crash, nothing endless, and rows that refer to what is there.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "import/pytorch_snapshot/pytorch_snapshot_importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  namespace import = warpscope::import;
  static_cast<void>(import::pytorch_snapshot::kImporter.sniff({bytes, true}));
  warpscope::model::Trace trace;
  const auto source = import::OpenMemory(bytes);
  if (!import::pytorch_snapshot::kImporter.read(*source, "fuzz", {}, &trace).ok()) return 0;
  for (const auto& event : trace.memory) {
    if (event.device >= trace.devices.size() || event.thread >= trace.threads.size()) std::abort();
  }
  trace.Finish();
  return 0;
}
