// SqliteFormat: one kind of SQLite file. sqlite_formats.def lists them; each lives in the folder of its tool.
// The importer "sqlite" opens the database once and asks each format whether the tables are its own.
// [one thread]
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "import/import.h"
#include "import/importer.h"
#include "import/sqlite/database.h"
#include "model/trace.h"

namespace warpscope::import {

struct SqliteFormat {
  std::string_view id;     // "nsys"; Source::format
  std::string_view title;  // for people
  // By the names of tables and columns, never by the file's name.
  Confidence (*sniff)(Database& database);
  // As Importer::read.
  Status (*read)(Database& database, const std::string& path, const Options& options, model::Trace* trace);
};

}  // namespace warpscope::import
