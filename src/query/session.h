// Session: SQL over one recording. Opens DuckDB in memory, shows every table of the catalogue as a view, runs
// statements. SQL cannot touch the machine: no files, no network, no extensions, bounded memory
// (store/duckdb/database.h). [one thread], but for Interrupt().
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/index.h"
#include "base/status.h"
#include "query/recording.h"
#include "query/scan.h"
#include "query/table.h"
#include "store/duckdb/database.h"
#include "view/table.h"

namespace warpscope::query {

// Values of $name in SQL: whole numbers, other numbers, or text, as they are written.
using Parameters = std::map<std::string, std::string, std::less<>>;

struct SessionOptions {
  unsigned threads = 0;  // 0: as many as pay
};

class Session {
 public:
  // `index` and its trace must outlive the session. kNotFound where DuckDB's library is missing.
  static Result<std::unique_ptr<Session>> Open(const analysis::Index& index, const SessionOptions& options = {});

  // Runs the statements; the rows of the last one. `keep` rows are held, the others counted (0: all are held). Whole
  // numbers are exact, whatever is absent is an absent cell, what is neither number nor text becomes text.
  // kInvalidArgument says what is wrong, with line and column.
  Result<view::Table> Run(std::string_view sql, const Parameters& parameters = {}, uint64_t keep = 0);

  // [MT], also from a signal handler: what runs now fails soon.
  void Interrupt() { connection_->Interrupt(); }

  const std::vector<Table>& tables() const { return tables_; }
  const Table* FindTable(std::string_view name) const;  // null if there is none
  const Recording& recording() const { return recording_; }

 private:
  explicit Session(const analysis::Index& index) : recording_(index) {}
  Result<view::Table> Collect(store::duckdb::Rows& rows, uint64_t keep);
  Result<view::Table> Fetch(const std::string& sql, const std::vector<store::duckdb::Parameter>& values, uint64_t keep);

  Recording recording_;
  std::vector<Table> tables_;
  std::unique_ptr<SqlTexts> texts_;
  std::unique_ptr<store::duckdb::Database> database_;
  std::unique_ptr<store::duckdb::Connection> connection_;
};

}  // namespace warpscope::query
