// Database, Connection, Rows, Chunk: DuckDB behind owners that free themselves and a Status instead of error codes.
// Database [MT]; Connection and what it gives [one thread] each - open one a thread.
// A chunk's memory is its own: it outlives the rows it came from. Texts are valid as long as their chunk.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "store/duckdb/api.h"

namespace warpscope::store::duckdb {

struct Options {
  unsigned threads = 0;       // 0 = as many as the machine has
  uint64_t memory_bytes = 0;  // limit; 0 = DuckDB's own (80 % of the machine)
  std::string spill_folder;   // for what exceeds the limit; "" = such a query fails
  bool keep_order = true;     // of rows that no ORDER BY orders; false lets one COPY write with several threads
  // Files and folders that SQL may read and write; nothing else on the machine can be reached once the database is
  // open, no extension is installed or loaded, and no SET statement changes that.
  std::vector<std::string> files, folders;
};

enum class Type : uint8_t { kBool, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64, kDouble, kText };

struct ColumnInfo {
  std::string name;
  c::TypeId type = c::kInvalid;
  uint8_t decimal_scale = 0;            // of kDecimal
  c::TypeId stored_as = c::kInvalid;    // of kDecimal and kEnum: the integer type in the vector
  std::vector<std::string> enum_texts;  // of kEnum
};

class Chunk {
 public:
  Chunk() = default;
  Chunk(const c::Api* api, c::DataChunk chunk);
  Chunk(Chunk&& other) noexcept { *this = std::move(other); }
  Chunk& operator=(Chunk&& other) noexcept;
  ~Chunk();

  size_t size() const { return size_; }
  // The values of a column; T must be the type in the vector. Values of NULL rows are unspecified.
  template <typename T>
  const T* Data(size_t column) const {
    return static_cast<const T*>(data_[column]);
  }
  bool IsNull(size_t column, size_t row) const {
    const uint64_t* valid = valid_[column];
    return valid != nullptr && (valid[row / 64] >> (row % 64) & 1) == 0;
  }
  const uint64_t* Validity(size_t column) const { return valid_[column]; }  // null: no NULL in it
  std::string_view Text(size_t column, size_t row) const { return View(Data<c::String>(column)[row]); }
  static std::string_view View(const c::String& text) {
    return {text.length <= 12 ? text.prefix : text.pointer, text.length};
  }

 private:
  const c::Api* api_ = nullptr;
  c::DataChunk chunk_ = nullptr;
  size_t size_ = 0;
  std::vector<const void*> data_;
  std::vector<const uint64_t*> valid_;
};

// What a statement gave, chunk by chunk.
class Rows {
 public:
  Rows(const c::Api* api, c::QueryResult result);
  Rows(Rows&& other) noexcept;
  Rows& operator=(Rows&&) = delete;
  ~Rows();

  const std::vector<ColumnInfo>& columns() const { return columns_; }
  bool has_rows() const { return has_rows_; }         // a SELECT and its like; false: a statement without a result
  uint64_t changed_rows() const { return changed_; }  // of INSERT, COPY and their like
  // The next chunk; nullopt at the end. A streamed result may fail in the middle.
  Result<std::optional<Chunk>> Next();

 private:
  const c::Api* api_;
  c::QueryResult result_;
  std::vector<ColumnInfo> columns_;
  bool has_rows_ = false;
  uint64_t changed_ = 0;
};

using Parameter = std::variant<std::monostate, int64_t, double, std::string>;  // monostate: NULL

class Connection {
 public:
  Connection(Connection&& other) noexcept : api_(other.api_), database_(std::move(other.database_)), raw_(other.raw_) {
    other.raw_ = nullptr;
  }
  Connection& operator=(Connection&&) = delete;
  ~Connection();

  // Runs every statement of `sql` in turn; the rows of the last one. `parameters` ($1, $2 ...) go to the last one.
  // kStreamed: rows are made while they are read, in bounded memory; nothing else may run on the connection until then.
  enum class Mode : uint8_t { kWhole, kStreamed };
  Result<Rows> Query(const std::string& sql, std::span<const Parameter> parameters = {}, Mode mode = Mode::kWhole);
  Status Run(const std::string& sql, std::span<const Parameter> parameters = {});
  // [MT] Makes what runs on this connection fail soon.
  void Interrupt() { api_->interrupt(raw_); }

  const c::Api* api() const { return api_; }
  c::Connection raw() const { return raw_; }

 private:
  friend class Database;
  struct Handle;
  Connection(const c::Api* api, std::shared_ptr<Handle> database, c::Connection raw)
      : api_(api), database_(std::move(database)), raw_(raw) {}
  Result<c::Prepared> Prepare(c::Extracted extracted, uint64_t index);
  Status Bind(c::Prepared prepared, std::span<const Parameter> parameters);

  const c::Api* api_;
  std::shared_ptr<Handle> database_;  // a connection keeps its database open
  c::Connection raw_;
};

class Database {
 public:
  // In memory. Loads the library if that was not done before.
  static Result<Database> Open(const Options& options = {});
  Result<Connection> Connect() const;

 private:
  Database(const c::Api* api, std::shared_ptr<Connection::Handle> handle) : api_(api), handle_(std::move(handle)) {}
  const c::Api* api_;
  std::shared_ptr<Connection::Handle> handle_;
};

// 'text' as an SQL literal, and "name" as an SQL identifier.
std::string Quote(std::string_view text);
std::string QuoteName(std::string_view name);

}  // namespace warpscope::store::duckdb
