#include "view/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/kernel_name.h"
#include "view/format.h"

namespace warpscope::view {
namespace {

char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool ContainsNoCase(std::string_view text, std::string_view words) {
  const auto same = [](char a, char b) { return LowerAscii(a) == LowerAscii(b); };
  return std::search(text.begin(), text.end(), words.begin(), words.end(), same) != text.end();
}

std::optional<double> AsNumber(const Cell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return std::nullopt;
}

std::string FormatQuantity(double value, Kind kind) {
  switch (kind) {
    case Kind::kDurationNs:
    case Kind::kTimeNs: return FormatDurationNs(value);
    case Kind::kBytes: return FormatBytes(value);
    case Kind::kBytesPerS: return FormatBytesPerSecond(value);
    case Kind::kFlopPerS: return FormatFlopPerSecond(value);
    case Kind::kPct: return FormatPct(value);
    case Kind::kText:
    case Kind::kName:
    case Kind::kSentence:
    case Kind::kId:
    case Kind::kCount:
    case Kind::kNumber: return FormatNumber(value);
    case Kind::kExact: return fmt::format("{}", value);
  }
  return {};
}

}  // namespace

std::string_view UnitName(Kind kind) {
  switch (kind) {
    case Kind::kDurationNs:
    case Kind::kTimeNs: return "ns";
    case Kind::kBytes: return "bytes";
    case Kind::kBytesPerS: return "bytes/s";
    case Kind::kFlopPerS: return "FLOP/s";
    case Kind::kPct: return "%";
    case Kind::kCount: return "count";
    case Kind::kText:
    case Kind::kName:
    case Kind::kSentence:
    case Kind::kId:
    case Kind::kNumber:
    case Kind::kExact: return "";
  }
  return "";
}

Cell IdOf(uint64_t id) {
  if (id == UINT64_MAX) return {};
  if (id > static_cast<uint64_t>(INT64_MAX)) return Cell{fmt::format("{}", id)};
  return Cell{static_cast<int64_t>(id)};
}

Cell PctOf(double part, double whole) {
  if (!(whole > 0) || !std::isfinite(part)) return {};
  return Cell{100 * part / whole};
}

std::string FormatCell(const Cell& cell, Kind kind) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (kind == Kind::kId || kind == Kind::kExact) {
    if (const auto* integer = std::get_if<int64_t>(&cell)) return fmt::format("{}", *integer);
  }
  if (kind == Kind::kCount) {
    if (const auto* integer = std::get_if<int64_t>(&cell)) return FormatCount(*integer);
  }
  return FormatQuantity(*AsNumber(cell), kind);
}

std::string FormatCell(const Cell& cell, const Column& column) {
  const auto* const text = std::get_if<std::string>(&cell);
  return column.symbol && text != nullptr ? analysis::DemangledKernelName(*text) : FormatCell(cell, column.kind);
}

int CompareCells(const Cell& a, const Cell& b) {
  const auto rank = [](const Cell& cell) {
    if (std::holds_alternative<std::monostate>(cell)) return 2;
    return std::holds_alternative<std::string>(cell) ? 1 : 0;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b) ? -1 : 1;
  if (rank(a) == 2) return 0;
  if (rank(a) == 1) return std::get<std::string>(a).compare(std::get<std::string>(b));
  const auto *left = std::get_if<int64_t>(&a), *right = std::get_if<int64_t>(&b);
  if (left && right) return *left < *right ? -1 : *left > *right ? 1 : 0;
  const double x = *AsNumber(a), y = *AsNumber(b);
  // NaN sorts last, so that the order stays total.
  if (std::isnan(x) || std::isnan(y)) return static_cast<int>(std::isnan(x)) - static_cast<int>(std::isnan(y));
  return x < y ? -1 : x > y ? 1 : 0;
}

Status SortBy(Table& table, std::string_view spec) {
  std::string_view name = spec;
  std::string_view direction;
  if (const size_t colon = spec.find(':'); colon != std::string_view::npos) {
    name = spec.substr(0, colon);
    direction = spec.substr(colon + 1);
    if (direction != "asc" && direction != "desc") {
      return {StatusCode::kInvalidArgument, fmt::format("--sort {}: after the colon stands asc or desc", spec)};
    }
  }
  const auto column = std::find_if(table.columns.begin(), table.columns.end(), [&](const Column& candidate) {
    return candidate.name == name || candidate.heading == name;
  });
  if (column == table.columns.end()) {
    std::string names;
    for (const Column& known : table.columns) names += (names.empty() ? "" : ", ") + known.name;
    return {StatusCode::kInvalidArgument, fmt::format("--sort {}: no such column; there are: {}", name, names)};
  }
  const bool rises = column->kind == Kind::kText || column->kind == Kind::kName || column->kind == Kind::kSentence ||
                     column->kind == Kind::kTimeNs || column->kind == Kind::kId;
  const bool ascending = direction.empty() ? rises : direction == "asc";
  const auto index = static_cast<size_t>(column - table.columns.begin());
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const auto& a, const auto& b) {
    const bool absent_a = std::holds_alternative<std::monostate>(a[index]);
    const bool absent_b = std::holds_alternative<std::monostate>(b[index]);
    if (absent_a || absent_b) return !absent_a && absent_b;  // absent last either way
    const int order = CompareCells(a[index], b[index]);
    return ascending ? order < 0 : order > 0;
  });
  return Status::Ok();
}

void KeepMatching(Table& table, std::string_view words) {
  const auto matches = [&](const std::vector<Cell>& row) {
    return std::any_of(row.begin(), row.end(), [&](const Cell& cell) {
      const auto* text = std::get_if<std::string>(&cell);
      return text && ContainsNoCase(*text, words);
    });
  };
  std::erase_if(table.rows, [&](const auto& row) { return !matches(row); });
}

}  // namespace warpscope::view
