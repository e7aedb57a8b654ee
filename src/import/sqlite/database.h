// Database: a read-only SQLite file of unknown contents: which tables and columns it has, and rows of a query.
// [one thread]. Nothing of the file is executed: no extension, no trigger, no view with functions beyond SQLite's own
// (SQLITE_DBCONFIG_DEFENSIVE, trusted_schema off); a view that recurs is refused, and a query that
// takes far more steps than the file has bytes is stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "import/container/byte_source.h"

struct sqlite3;
struct sqlite3_stmt;

namespace warpscope::import {

// A row of a running query; views hold until the next Step().
class Query {
 public:
  ~Query();
  Query(Query&& other) noexcept : statement_(other.statement_), path_(std::move(other.path_)) {
    other.statement_ = nullptr;
  }
  Query& operator=(Query&&) = delete;

  // False at the end. kCorrupt where the file is damaged; the rows before it stand.
  Result<bool> Step();
  bool is_null(int column) const;
  std::optional<int64_t> Int(int column) const;    // absent for NULL and for text that is no number
  std::optional<double> Number(int column) const;  // the same
  std::string_view Bytes(int column) const;        // text or blob as stored, which need not be UTF-8; "" for NULL

 private:
  friend class Database;
  Query(sqlite3_stmt* statement, std::string path) : statement_(statement), path_(std::move(path)) {}
  sqlite3_stmt* statement_;
  std::string path_;
};

class Database {
 public:
  // Opens the file itself where there is one, else a copy of the bytes in an unlinked temporary file.
  static Result<Database> Open(ByteSource& bytes, const std::string& path);
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size_bytes() const { return size_bytes_; }
  const std::vector<std::string>& tables() const { return tables_; }  // and views, sorted
  bool HasTable(std::string_view name) const;
  // Empty if there is no such table or view.
  const std::vector<std::string>& Columns(const std::string& table);
  bool HasColumn(const std::string& table, std::string_view column);
  // `column` quoted if the table has it, else "NULL": lets one SELECT serve every version of a schema.
  std::string ColumnOrNull(const std::string& table, std::string_view column);
  // The first of the names (separated by '|') that the table has; "NULL" if it has none.
  std::string AnyColumn(const std::string& table, std::string_view names);
  uint64_t CountRows(const std::string& table);

  Result<Query> Run(const std::string& sql);

 private:
  Database(sqlite3* handle, std::string path, std::string copy, uint64_t size_bytes);
  sqlite3* handle_;
  std::string path_;
  std::string copy_;  // of the temporary copy; "" if none
  uint64_t size_bytes_;
  std::vector<std::string> tables_;
  std::vector<std::pair<std::string, std::vector<std::string>>> columns_;
  std::unique_ptr<uint64_t> steps_left_ = std::make_unique<uint64_t>(0);  // of the query that runs
};

std::string QuoteName(std::string_view name);  // "a""b"

}  // namespace warpscope::import
