#include "export/nsys/sqlite_file.h"

#include <sqlite3.h>

#include <algorithm>

namespace warpscope::exporting {

SqliteFile::SqliteFile(const std::string& path) : path_(path) {
  if (sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                      nullptr) != SQLITE_OK) {
    Fail("cannot be written");
    return;
  }
  // The file is new and moved into place only once whole, so a crash needs no journal to recover from.
  for (const char* sql : {"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA locking_mode = EXCLUSIVE",
                          "PRAGMA cache_size = -65536", "BEGIN"}) {
    Execute(sql);
  }
}

SqliteFile::~SqliteFile() { sqlite3_close_v2(handle_); }

void SqliteFile::Fail(const std::string& what) {
  if (failed()) return;
  const char* why = handle_ == nullptr ? "out of memory" : sqlite3_errmsg(handle_);
  failure_ = Status(StatusCode::kOutput,
                    path_ + ": " + what + ": " + why + ". Check that the disk has room and the folder may be written.");
}

void SqliteFile::Execute(const std::string& sql) {
  if (!failed() && sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    Fail("the database cannot be written");
}

void SqliteFile::MakeTable(const std::string& table, std::string_view columns) {
  constexpr std::string_view kTexts =
      "|text|jsonText|binaryData|name|label|value|uuid|busLocation|chipName|utcTime|"
      "localTime|metricName|unit|path|format|producer|version|hostName|file|detail|";
  constexpr std::string_view kFractions = "|doubleValue|floatValue|sampleValue|";
  std::string typed;
  while (!columns.empty()) {
    const size_t comma = std::min(columns.find(", "), columns.size());
    const std::string name(columns.substr(0, comma));
    const std::string key = "|" + name + "|";
    typed += (typed.empty() ? "" : ", ") + name;
    typed += kTexts.find(key) != std::string_view::npos       ? " TEXT"
             : kFractions.find(key) != std::string_view::npos ? " REAL"
                                                              : " INTEGER";
    columns.remove_prefix(std::min(comma + 2, columns.size()));
  }
  Execute("CREATE TABLE " + table + " (" + typed + ")");
}

Status SqliteFile::Close() {
  Execute("COMMIT");
  if (!failed() && sqlite3_close(handle_) != SQLITE_OK) Fail("the database cannot be closed");
  else handle_ = nullptr;
  return failure_;
}

Insert::Insert(SqliteFile& file, const std::string& table, const std::string& columns) : file_(file) {
  if (file.failed()) return;
  columns_ = 1 + static_cast<int>(std::count(columns.begin(), columns.end(), ','));
  std::string sql = "INSERT INTO " + table + " (" + columns + ") VALUES (?";
  for (int i = 1; i < columns_; ++i) sql += ",?";
  sql += ")";
  if (sqlite3_prepare_v3(file.handle(), sql.c_str(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                         &statement_, nullptr) != SQLITE_OK) {
    file.Fail("table " + table + " cannot be written");
  }
}

Insert::~Insert() { sqlite3_finalize(statement_); }

Insert& Insert::Int(int64_t value) {
  if (statement_ != nullptr) sqlite3_bind_int64(statement_, ++bound_, value);
  return *this;
}

Insert& Insert::Number(double value) {
  if (statement_ != nullptr) sqlite3_bind_double(statement_, ++bound_, value);
  return *this;
}

Insert& Insert::Text(std::string_view value) {
  if (statement_ != nullptr)
    sqlite3_bind_text(statement_, ++bound_, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
  return *this;
}

Insert& Insert::Blob(std::string_view value) {
  if (statement_ != nullptr)
    sqlite3_bind_blob(statement_, ++bound_, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
  return *this;
}

Insert& Insert::Null() {
  if (statement_ != nullptr) sqlite3_bind_null(statement_, ++bound_);
  return *this;
}

int64_t Insert::Row() {
  if (statement_ == nullptr || file_.failed()) return 0;
  while (bound_ < columns_) Null();
  if (sqlite3_step(statement_) != SQLITE_DONE) file_.Fail("a row cannot be written");
  sqlite3_reset(statement_);
  bound_ = 0;
  return sqlite3_last_insert_rowid(file_.handle());
}

}  // namespace warpscope::exporting
