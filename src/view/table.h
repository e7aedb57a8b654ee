// Table: a render-neutral result of one command. Terminal, JSON and CSV print the same cells.
// [MT] Values. Invariant: every row has as many cells as there are columns; an absent cell is std::monostate, never
// 0, -1 or "".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "model/ledger.h"

namespace warpscope::view {

enum class Kind : uint8_t {
  kText,      // short words: a cause, a limiter
  kName,      // long text that may be cut in the middle on a terminal: kernel and operator names
  kSentence,  // text that is wrapped, never cut; at most one such column, the last one shown
  kId,        // integer without thousands separators: rank, device, stream
  kCount,
  kDurationNs,
  kTimeNs,  // since the start of the trace
  kBytes,
  kBytesPerS,
  kFlopPerS,
  kPct,  // 0-100
  kNumber,
  kExact,  // number in all its digits, without separators: results of SQL
};

std::string_view UnitName(
    Kind kind);  // "ns", "bytes", "bytes/s", "FLOP/s", "%", "count", "" for text, ids and plain numbers

using Cell = std::variant<std::monostate, int64_t, double, std::string>;

struct Column {
  std::string name;     // of JSON and CSV, stable: "total_ns"
  std::string heading;  // of the terminal: "total"
  Kind kind = Kind::kText;
  // Terminal only: where the width does not suffice the columns of the highest rank go first; 0 never goes.
  int rank = 0;
  bool symbol = false;  // names of functions, which the terminal shows as people write them, not as compilers do
};

// For JSON, CSV and --wide only: longer or rarer than a screen wants.
inline constexpr int kDataOnly = 100;

// Names as they were recorded, perhaps mangled.
inline Column FullName() { return {"name", "full name", Kind::kName, kDataOnly, true}; }

struct Table {
  std::string name;                  // "kernels": the schema is "warpscope.table.kernels/1"
  std::string title;                 // one line, plain words
  std::vector<std::string> summary;  // sentences above the table (the answer), most important first
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  uint64_t rows_left_out = 0;              // further rows that were counted and not held
  std::vector<std::string> notes;          // below the table: how to read it, where to go on
  std::string empty_text;                  // what to say when there are no rows, and what to record
  std::vector<model::LedgerEntry> ledger;  // how far the data behind it can be trusted

  std::string schema() const { return "warpscope.table." + name + "/1"; }
};

// Cell makers: absent optional -> absent cell.
inline Cell Text(std::string_view text) { return text.empty() ? Cell{} : Cell{std::string(text)}; }
template <typename T>
Cell Int(T value) {
  return Cell{static_cast<int64_t>(value)};
}
inline Cell Number(double value) { return Cell{value}; }
template <typename T>
Cell Maybe(const std::optional<T>& value) {
  if (!value) return {};
  if constexpr (std::is_floating_point_v<T>) return Cell{static_cast<double>(*value)};
  else return Cell{static_cast<int64_t>(*value)};
}
Cell IdOf(uint64_t id);                 // kNoId -> absent; beyond int64: as text
Cell PctOf(double part, double whole);  // absent for a share of nothing

// A cell as the terminal shows it; "-" if absent.
std::string FormatCell(const Cell& cell, Kind kind);
std::string FormatCell(const Cell& cell, const Column& column);

// Total order of cells of one column: absent last, text by bytes. < 0, 0, > 0 like strcmp, ascending.
int CompareCells(const Cell& a, const Cell& b);

// Sorts by the named column: numbers largest first, text and times ascending; "name:asc" or "name:desc" says otherwise.
// Ties keep the order they had. kInvalidArgument names the columns there are.
Status SortBy(Table& table, std::string_view spec);

// Keeps the rows of which some text cell contains `words` (ASCII case does not matter).
void KeepMatching(Table& table, std::string_view words);

}  // namespace warpscope::view
