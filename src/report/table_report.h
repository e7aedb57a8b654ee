// Prints view::Table for people (terminal), programs (JSON) and spreadsheets (CSV). [MT] Pure.
#pragma once

#include <string>

#include "report/terminal.h"
#include "view/table.h"

namespace warpscope::report {

struct TableOptions {
  size_t limit = 0;   // rows; 0 = all
  bool wide = false;  // every column, names in full, whatever the width
};

std::string TableText(const view::Table& table, const Terminal& terminal, const TableOptions& options);

// {"schema", "title", "columns": [{"name", "unit"}], "rows": [[...]], "row_count", "notes"}; docs/schema/tables.md.
std::string TableJson(const view::Table& table, size_t limit);

// RFC 4180: header line of column names, "," between, CRLF after each row; absent = empty field. Text that a
// spreadsheet would run as a formula gets a leading apostrophe.
std::string TableCsv(const view::Table& table, size_t limit);

}  // namespace warpscope::report
