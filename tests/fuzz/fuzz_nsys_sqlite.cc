// Any bytes as an nsys database: no crash, whatever pages, schemas and values are damaged.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "import/import.h"
#include "import/sqlite/sqlite_importer.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("TMPDIR", "/dev/shm", 1);  // databases are read from a file
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  if (bytes.size() >= kMagic.size()) bytes.replace(0, kMagic.size(), kMagic);
  warpscope::import::Options options;
  options.threads = 1;
  static_cast<void>(warpscope::import::LoadBytes(bytes, "fuzz.sqlite", options));
  return 0;
}
