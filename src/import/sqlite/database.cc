#include "import/sqlite/database.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace warpscope::import {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 20;

// What one query may cost, in steps of SQLite's virtual machine. Reading a row takes some tens of them, and a row takes
// several bytes, so a query of what the file holds stays far below; a view that multiplies rows without end does not.
constexpr uint64_t kStepsBetweenLooks = 4096, kFreeSteps = 50'000'000, kStepsPerByte = 64;

int Look(void* steps_left) {
  auto& left = *static_cast<uint64_t*>(steps_left);
  left -= std::min(left, kStepsBetweenLooks);
  return left == 0;
}

// Views of profilers join and rename; none of them recurs, which is the short way to rows without end.
int Authorize(void*, int action, const char*, const char*, const char*, const char*) {
  return action == SQLITE_RECURSIVE ? SQLITE_DENY : SQLITE_OK;
}

Status Failure(StatusCode code, const std::string& path, const std::string& what, const std::string& advice) {
  return Status(code, path + ": " + what + ". " + advice);
}

// Copies what `bytes` holds to a temporary file and returns its path.
Result<std::string> Spool(ByteSource& bytes, const std::string& path, uint64_t* size_bytes) {
  const char* folder = std::getenv("TMPDIR");
  std::string name = std::string(folder && *folder ? folder : "/tmp") + "/warpscope-XXXXXX";
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0)
    return Failure(StatusCode::kIo, path, "no temporary file can be made: " + std::string(std::strerror(errno)),
                   "Set TMPDIR to a folder with room, or unpack the database first.");
  std::string block(kBlockBytes, '\0');
  Status status;
  for (;;) {
    auto got = bytes.Read(block.data(), block.size());
    if (!got.ok()) {
      status = got.status();
      break;
    }
    for (size_t done = 0; done < *got;) {
      const ssize_t put = ::write(descriptor, block.data() + done, *got - done);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) {
        status =
            Failure(StatusCode::kIo, path, "the temporary copy cannot be written: " + std::string(std::strerror(errno)),
                    "Set TMPDIR to a folder with room, or unpack the database first.");
        break;
      }
      done += static_cast<size_t>(put);
    }
    *size_bytes += *got;
    if (!status.ok() || *got < block.size()) break;
  }
  ::close(descriptor);
  if (!status.ok()) {
    ::unlink(name.c_str());
    return status;
  }
  return name;
}

// "file:" address of a path, with what is special in it escaped.
std::string Address(const std::string& path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string address = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '?' || c == '#' || c == '%') {
      address += {'%', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      address += c;
    }
  }
  return address + "?mode=ro&immutable=1";
}

}  // namespace

std::string QuoteName(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

Query::~Query() { sqlite3_finalize(statement_); }

Result<bool> Query::Step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  if (code == SQLITE_INTERRUPT)
    return Failure(StatusCode::kCorrupt, path_, "a view of the database yields rows without end", "Export it again.");
  return Failure(StatusCode::kCorrupt, path_,
                 std::string("the database is damaged: ") + sqlite3_errmsg(sqlite3_db_handle(statement_)),
                 "Copy or export it again.");
}

bool Query::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::optional<int64_t> Query::Int(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_INTEGER: return sqlite3_column_int64(statement_, column);
    case SQLITE_FLOAT: {
      const double value = sqlite3_column_double(statement_, column);
      if (value > -9.2e18 && value < 9.2e18) return static_cast<int64_t>(value);
      return std::nullopt;
    }
    case SQLITE_TEXT: {
      const std::string_view text = Bytes(column);
      int64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
      return value;
    }
    default: return std::nullopt;
  }
}

std::optional<double> Query::Number(int column) const {
  const int type = sqlite3_column_type(statement_, column);
  if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) return sqlite3_column_double(statement_, column);
  if (const auto whole = Int(column)) return static_cast<double>(*whole);
  return std::nullopt;
}

std::string_view Query::Bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return data == nullptr ? std::string_view()
                         : std::string_view(static_cast<const char*>(data), static_cast<size_t>(size));
}

Result<Database> Database::Open(ByteSource& bytes, const std::string& path) {
  std::string plain = bytes.plain_path(), copy;
  uint64_t size_bytes = bytes.size_hint_bytes();
  if (plain.empty()) {
    size_bytes = 0;
    WS_ASSIGN_OR_RETURN(copy, Spool(bytes, path, &size_bytes));
    plain = copy;
  }
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(Address(plain).c_str(), &handle,
                                   SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(handle, path, copy, size_bytes);
  if (code != SQLITE_OK)
    return Failure(StatusCode::kIo, path, std::string("the database cannot be opened: ") + sqlite3_errstr(code),
                   "Check its permissions.");
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_set_authorizer(handle, Authorize, nullptr);
  sqlite3_progress_handler(handle, kStepsBetweenLooks, Look, database.steps_left_.get());
  WS_ASSIGN_OR_RETURN(Query query, database.Run("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"));
  for (;;) {
    WS_ASSIGN_OR_RETURN(const bool more, query.Step());
    if (!more) break;
    database.tables_.emplace_back(query.Bytes(0));
  }
  std::sort(database.tables_.begin(), database.tables_.end());
  return database;
}

Database::Database(sqlite3* handle, std::string path, std::string copy, uint64_t size_bytes)
    : handle_(handle), path_(std::move(path)), copy_(std::move(copy)), size_bytes_(size_bytes) {}

Database::Database(Database&& other) noexcept
    : handle_(other.handle_),
      path_(std::move(other.path_)),
      copy_(std::move(other.copy_)),
      size_bytes_(other.size_bytes_),
      tables_(std::move(other.tables_)),
      columns_(std::move(other.columns_)),
      steps_left_(std::move(other.steps_left_)) {
  other.handle_ = nullptr;
  other.copy_.clear();
}

Database::~Database() {
  sqlite3_close_v2(handle_);
  if (!copy_.empty()) ::unlink(copy_.c_str());
}

bool Database::HasTable(std::string_view name) const {
  return std::binary_search(tables_.begin(), tables_.end(), name);
}

const std::vector<std::string>& Database::Columns(const std::string& table) {
  for (const auto& [name, columns] : columns_) {
    if (name == table) return columns;
  }
  std::vector<std::string> found;
  if (HasTable(table)) {
    auto query = Run("PRAGMA table_info(" + QuoteName(table) + ")");
    while (query.ok()) {
      const auto more = query->Step();
      if (!more.ok() || !more.value()) break;
      found.emplace_back(query->Bytes(1));
    }
  }
  columns_.emplace_back(table, std::move(found));
  return columns_.back().second;
}

bool Database::HasColumn(const std::string& table, std::string_view column) {
  const auto& columns = Columns(table);
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

std::string Database::ColumnOrNull(const std::string& table, std::string_view column) {
  return HasColumn(table, column) ? QuoteName(column) : "NULL";
}

std::string Database::AnyColumn(const std::string& table, std::string_view names) {
  while (!names.empty()) {
    const size_t bar = std::min(names.find('|'), names.size());
    if (HasColumn(table, names.substr(0, bar))) return QuoteName(names.substr(0, bar));
    names.remove_prefix(std::min(bar + 1, names.size()));
  }
  return "NULL";
}

uint64_t Database::CountRows(const std::string& table) {
  if (!HasTable(table)) return 0;
  auto query = Run("SELECT count(*) FROM " + QuoteName(table));
  if (!query.ok()) return 0;
  const auto more = query->Step();
  return more.ok() && more.value() ? static_cast<uint64_t>(query->Int(0).value_or(0)) : 0;
}

Result<Query> Database::Run(const std::string& sql) {
  *steps_left_ = kFreeSteps + kStepsPerByte * std::min(size_bytes_, UINT64_MAX / kStepsPerByte / 2);
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle_, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) {
    const std::string why = code == SQLITE_AUTH ? "a view of it calls itself" : sqlite3_errmsg(handle_);
    sqlite3_finalize(statement);
    return Failure(StatusCode::kCorrupt, path_, "the database cannot be read: " + why, "Copy or export it again.");
  }
  return Query(statement, path_);
}

}  // namespace warpscope::import
