// Tables that live in the program's memory, given to SQL without a copy up front: DuckDB asks for the columns that a
// query names, 2048 rows at a time.
// [one thread] to register; the fill functions run on DuckDB's threads, several at once, and must be [MT].
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "store/duckdb/database.h"

namespace warpscope::store::duckdb {

// Where the values of one column of one chunk go.
class ColumnWriter {
 public:
  ColumnWriter(const c::Api* api, c::Vector vector) : api_(api), vector_(vector), data_(api->vector_get_data(vector)) {}

  // T must be what Column::type names: bool, int32_t ... double.
  template <typename T>
  T* Data() {
    return static_cast<T*>(data_);
  }
  void SetText(size_t row, std::string_view text) {
    api_->vector_assign_string_element_len(vector_, row, text.data(), text.size());
  }
  // A text that stays where it is as long as the query runs: long ones are not copied.
  void SetLastingText(size_t row, std::string_view text);
  void SetNull(size_t row);

 private:
  const c::Api* api_;
  c::Vector vector_;
  void* data_;
  uint64_t* valid_ = nullptr;
};

struct Column {
  std::string name;
  Type type = Type::kInt64;
  // Writes rows [begin, begin + count) of the table to rows [0, count) of `to`.
  std::function<void(uint64_t begin, size_t count, ColumnWriter& to)> fill;
};

struct Table {
  std::string name;  // SELECT ... FROM name()
  uint64_t rows = 0;
  std::vector<Column> columns;
  bool in_order = false;  // rows come in order, on one thread; else in any order on all
};

// What `fill` reads must outlive the database.
Status RegisterTable(Connection& connection, Table table);
c::TypeId TypeIdOf(Type type);

}  // namespace warpscope::store::duckdb
