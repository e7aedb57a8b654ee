// Scan: gives a Table to DuckDB as a view. The engine asks for the columns that a query names, some thousand rows at a
// time, and they are written into its buffers; texts stay where they are.
// [one thread] to register; scans run on DuckDB's threads.
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "query/recording.h"
#include "query/table.h"
#include "store/duckdb/api.h"
#include "store/duckdb/database.h"

namespace warpscope::query {

// Every text of a recording as DuckDB holds texts in its vectors, pointing at the recording's own memory, and the type
// of recurring names. Built once for all tables.
class SqlTexts {
 public:
  // `names`: the ids that columns of Type::kName may yield.
  SqlTexts(const store::duckdb::c::Api& api, const Recording& recording, const std::vector<bool>& names);
  SqlTexts(const SqlTexts&) = delete;
  SqlTexts& operator=(const SqlTexts&) = delete;
  ~SqlTexts();

  const store::duckdb::c::String& text(uint32_t id) const { return texts_[id]; }
  // Null where there are too many names for an enumeration, or none; they are plain texts then.
  store::duckdb::c::LogicalType name_type() const { return name_type_; }
  uint32_t code(uint32_t id) const { return codes_[id]; }
  int code_bytes() const { return code_bytes_; }

 private:
  void MakeNameType(const Recording& recording, const std::vector<bool>& names);

  const store::duckdb::c::Api& api_;
  std::vector<std::string> repaired_;            // texts that are no UTF-8, made so
  std::vector<store::duckdb::c::String> texts_;  // by id
  store::duckdb::c::LogicalType name_type_ = nullptr;
  std::vector<uint32_t> codes_;  // by id
  int code_bytes_ = 0;
};

// A view named table.name. `table` and `texts` must outlive the connection's database.
Status RegisterView(store::duckdb::Connection& connection, const Table& table, const SqlTexts& texts);

}  // namespace warpscope::query
