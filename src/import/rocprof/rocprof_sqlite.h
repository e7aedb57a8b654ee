// SQLite databases of rocprof v1 (results.db): tables HIP, HSA, rocTX, OPS, COPY, KERN. docs/formats/rocprof.md.
// [one thread]
#pragma once

#include "import/sqlite/format.h"

namespace warpscope::import::rocprof {

extern const SqliteFormat kSqlite;

}  // namespace warpscope::import::rocprof
