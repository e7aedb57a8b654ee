// Importer of SQLite databases: opens them and hands them to the format whose tables they have (sqlite_formats.def).
// [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::sqlite {

extern const Importer kImporter;

}  // namespace warpscope::import::sqlite
