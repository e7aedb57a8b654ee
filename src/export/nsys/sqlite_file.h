// SqliteFile: a new SQLite database that is filled in one transaction, and Insert: rows of one of its tables.
// [one thread]. The first failure is kept and answered by Close(); everything after it does nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace warpscope::exporting {

class SqliteFile {
 public:
  explicit SqliteFile(const std::string& path);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  void Execute(const std::string& sql);
  // `columns`: "start, end, text"; integers but for the few names that hold text or fractions.
  void MakeTable(const std::string& table, std::string_view columns);
  // Commits and closes. To be called last; the file is whole only if this is ok.
  Status Close();

  bool failed() const { return !failure_.ok(); }
  sqlite3* handle() { return handle_; }
  void Fail(const std::string& what);

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
  Status failure_;
};

// Values are given in the order of the columns; those left out at the end of a row are NULL. Text must stay where it
// is until Row().
class Insert {
 public:
  // `columns`: "start, end, globalTid".
  Insert(SqliteFile& file, const std::string& table, const std::string& columns);
  ~Insert();
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;

  Insert& Int(int64_t value);
  Insert& Number(double value);
  Insert& Text(std::string_view value);
  Insert& Blob(std::string_view value);
  Insert& Null();
  template <typename T>
  Insert& Maybe(const std::optional<T>& value) {
    return value ? Int(static_cast<int64_t>(*value)) : Null();
  }
  // Ends the row and answers its rowid.
  int64_t Row();

 private:
  SqliteFile& file_;
  sqlite3_stmt* statement_ = nullptr;
  int columns_ = 0;
  int bound_ = 0;
};

}  // namespace warpscope::exporting
