#include "import/sqlite/sqlite_importer.h"

#include <algorithm>
#include <vector>

#include "import/ascend/ascend_sqlite.h"
#include "import/nsys/nsys_sqlite.h"
#include "import/rocpd/rocpd_sqlite.h"
#include "import/rocprof/rocprof_sqlite.h"
#include "import/sqlite/format.h"

namespace warpscope::import::sqlite {
namespace {

const std::vector<const SqliteFormat*>& Formats() {
  static const std::vector<const SqliteFormat*> kAll = {
#define WS_SQLITE_FORMAT(name) &name::kSqlite,
#include "import/sqlite/sqlite_formats.def"
#undef WS_SQLITE_FORMAT
  };
  return kAll;
}

Confidence Sniff(const Head& head) {
  return head.bytes.substr(0, 16) == std::string_view("SQLite format 3\0", 16) ? Confidence::kYes : Confidence::kNo;
}

// Some of the tables, so that the user sees what the file is.
std::string TableNames(const Database& database) {
  std::string names;
  size_t shown = 0;
  for (const std::string& table : database.tables()) {
    if (shown == 6) return names + " ...";
    names += (shown++ == 0 ? "" : ", ") + table.substr(0, 60);
  }
  return names.empty() ? "none" : names;
}

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  WS_ASSIGN_OR_RETURN(Database database, Database::Open(bytes, path));
  const SqliteFormat* best = nullptr;
  Confidence best_confidence = Confidence::kNo;
  for (const SqliteFormat* format : Formats()) {
    const Confidence confidence = format->sniff(database);
    if (confidence <= best_confidence) continue;
    best = format;
    best_confidence = confidence;
  }
  if (best == nullptr) {
    return Status(StatusCode::kUnsupported, path +
                                                ": byte 0: this SQLite database has none of the tables of a known "
                                                "profiler (its tables: " +
                                                TableNames(database) + "). Give a database that a profiler exported.");
  }
  return best->read(database, path, options, trace);
}

}  // namespace

const Importer kImporter = {"sqlite", "SQLite database of a profiler", &Sniff, &Read};

}  // namespace warpscope::import::sqlite
