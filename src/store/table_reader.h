// One Parquet file -> the columns of one table, on all threads: DuckDB decodes row groups side by side and hands each
// chunk to a function that stores it where its row number says.
// [one thread]
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "store/duckdb/database.h"
#include "store/schema.h"

namespace warpscope::store {

struct TableFile {
  std::string path;  // as DuckDB opens it
  std::string name;  // for messages
  uint64_t rows = 0;
};

// Puts the file's rows to rows [first_row, first_row + rows) of the table, which exist. `reading.texts` is not used:
// each thread has its own, which may intern if `may_intern` (then one thread reads).
Status ReadTable(duckdb::Connection& connection, const TableSchema& schema, const TableFile& file, uint64_t first_row,
                 const Reading& reading, bool may_intern);

}  // namespace warpscope::store
