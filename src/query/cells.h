// CellReader: the values of a result as cells of a table. [MT] Pure.
#pragma once

#include <string>
#include <vector>

#include "store/duckdb/database.h"
#include "view/table.h"

namespace warpscope::query {

class CellReader {
 public:
  // `columns` must outlive the reader.
  explicit CellReader(const std::vector<store::duckdb::ColumnInfo>& columns) : columns_(columns) {}

  // No list, structure, time or other type that has no cell.
  bool reads_all() const;
  view::Kind KindOf(size_t column) const;
  // `sql` with the columns that have no cell as texts.
  std::string WithTexts(const std::string& sql) const;
  // REQUIRES: reads_all().
  std::vector<view::Cell> Read(const store::duckdb::Chunk& chunk, size_t row) const;

 private:
  const std::vector<store::duckdb::ColumnInfo>& columns_;
};

}  // namespace warpscope::query
