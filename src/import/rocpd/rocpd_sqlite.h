// SQLite databases of AMD's profilers named rocpd: those of rocprofv3 and rocprofiler-systems (schema 3 and later, one
// set of tables a process with its UUID in the names) and those of rocmProfileData (schema 2, one set for all).
// docs/formats/rocpd.md. [one thread]
#pragma once

#include "import/sqlite/format.h"

namespace warpscope::import::rocpd {

extern const SqliteFormat kSqlite;

Status ReadSdk(Database& database, const std::string& path, const Options& options, model::Trace* trace);
Status ReadRpd(Database& database, const std::string& path, model::Trace* trace);

}  // namespace warpscope::import::rocpd
