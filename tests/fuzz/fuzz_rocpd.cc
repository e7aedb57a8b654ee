// Any bytes as a database of rocprofv3, rocmProfileData or rocprof v1: no crash, and valid references.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "import/import.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.substr(0, 15) != "SQLite format 3") return 0;
  auto trace = warpscope::import::LoadBytes(bytes, "fuzz");
  if (!trace.ok()) return 0;
  const warpscope::model::Trace& t = *trace;
  for (uint32_t row = 0; row < t.gpu.size(); ++row) {
    if (t.gpu.stream[row] >= t.streams.size()) std::abort();
  }
  for (uint32_t row = 0; row < t.host.size(); ++row) {
    if (t.host.thread[row] >= t.threads.size()) std::abort();
  }
  return 0;
}
