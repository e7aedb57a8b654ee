// Any bytes as an Ascend table or document: no crash.
#include <cstdint>
#include <string_view>

#include "import/ascend/ascend_importer.h"
#include "import/container/byte_source.h"
#include "import/join.h"
#include "model/trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  using warpscope::import::ascend::kImporter;
  static_cast<void>(kImporter.sniff({bytes, true}));
  warpscope::model::Trace trace;
  const auto source = warpscope::import::OpenMemory(bytes);
  if (kImporter.read(*source, "fuzz", {}, &trace).ok()) {
    warpscope::import::JoinParts(&trace);
    trace.Finish();
  }
  return 0;
}
