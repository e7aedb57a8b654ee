// Any bytes as a file: gzip and tar layers, look-alikes, importers.
#include <cstdint>
#include <string_view>

#include "import/import.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  warpscope::import::Options options;
  options.threads = 1;
  static_cast<void>(warpscope::import::LoadBytes({reinterpret_cast<const char*>(data), size}, "fuzz", options));
  return 0;
}
