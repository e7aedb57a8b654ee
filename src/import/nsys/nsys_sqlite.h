// Nsight Systems' SQLite export, schemas of 2020 to 2026, and what `warpscope convert --to sqlite` writes.
// See docs/formats/nsys.md. [one thread]
#pragma once

#include "import/sqlite/format.h"

namespace warpscope::import::nsys {

extern const SqliteFormat kSqlite;

}  // namespace warpscope::import::nsys
