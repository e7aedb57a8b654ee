// Any bytes as the text that nsys stats prints: no crash.
#include <cstdint>
#include <string_view>

#include "import/container/byte_source.h"
#include "import/nsys_stats/nsys_stats_importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(warpscope::import::nsys_stats::kImporter.sniff({text, true}));
  warpscope::model::Trace trace;
  const auto source = warpscope::import::OpenMemory(text);
  if (warpscope::import::nsys_stats::kImporter.read(*source, "fuzz", {}, &trace).ok()) trace.Finish();
  return 0;
}
