// Any bytes as an nsys database: no crash, whatever pages, schemas and values are damaged.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "import/container/byte_source.h"
#include "import/nsys/nsys_sqlite.h"
#include "import/sqlite/database.h"
#include "model/trace.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("TMPDIR", "/dev/shm", 1);  // databases are read from a file
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  if (bytes.size() >= kMagic.size()) bytes.replace(0, kMagic.size(), kMagic);
  const auto source = warpscope::import::OpenMemory(bytes);
  auto database = warpscope::import::Database::Open(*source, "fuzz.sqlite");
  if (!database.ok()) return 0;
  static_cast<void>(warpscope::import::nsys::kSqlite.sniff(*database));
  warpscope::model::Trace trace;
  if (warpscope::import::nsys::kSqlite.read(*database, "fuzz.sqlite", {}, &trace).ok()) trace.Finish();
  return 0;
}
