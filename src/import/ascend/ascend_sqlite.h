// Databases of Ascend profilers: ascend_pytorch_profiler*.db, msprof_*.db and analysis.db (docs/formats/ascend.md).
// [one thread]
#pragma once

#include "import/sqlite/format.h"

namespace warpscope::import::ascend {

extern const SqliteFormat kSqlite;

}  // namespace warpscope::import::ascend
