#include "query/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "query/text.h"

namespace warpscope::query {
namespace {

namespace c = store::duckdb::c;
using store::duckdb::Chunk;
using store::duckdb::ColumnInfo;
using view::Cell;

bool IsRead(c::TypeId type) {
  switch (type) {
    case c::kBoolean:
    case c::kTinyInt:
    case c::kSmallInt:
    case c::kInteger:
    case c::kBigInt:
    case c::kUTinyInt:
    case c::kUSmallInt:
    case c::kUInteger:
    case c::kUBigInt:
    case c::kFloat:
    case c::kDouble:
    case c::kHugeInt:
    case c::kUHugeInt:
    case c::kVarchar:
    case c::kDecimal:
    case c::kEnum: return true;
    default: return false;  // more types than we name
  }
}

// An integer of any width: exact, as text where 64 bits do not hold it.
Cell WholeCell(__int128 value) {
  if (value >= INT64_MIN && value <= INT64_MAX) return Cell{static_cast<int64_t>(value)};
  std::string digits;
  const bool negative = value < 0;
  auto rest = negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  for (; rest > 0; rest /= 10) digits += static_cast<char>('0' + static_cast<int>(rest % 10));
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return Cell{digits};
}

__int128 Wide(const c::HugeInt& value) {
  return static_cast<__int128>((static_cast<unsigned __int128>(static_cast<uint64_t>(value.upper)) << 64) |
                               value.lower);
}

template <typename T>
__int128 Stored(const Chunk& chunk, size_t column, size_t row) {
  return static_cast<__int128>(chunk.Data<T>(column)[row]);
}

__int128 StoredAs(c::TypeId type, const Chunk& chunk, size_t column, size_t row) {
  switch (type) {
    case c::kTinyInt: return Stored<int8_t>(chunk, column, row);
    case c::kSmallInt: return Stored<int16_t>(chunk, column, row);
    case c::kInteger: return Stored<int32_t>(chunk, column, row);
    case c::kBigInt: return Stored<int64_t>(chunk, column, row);
    case c::kUTinyInt: return Stored<uint8_t>(chunk, column, row);
    case c::kUSmallInt: return Stored<uint16_t>(chunk, column, row);
    case c::kUInteger: return Stored<uint32_t>(chunk, column, row);
    case c::kUBigInt: return Stored<uint64_t>(chunk, column, row);
    case c::kHugeInt: return Wide(chunk.Data<c::HugeInt>(column)[row]);
    default: return 0;
  }
}

// A double where it holds every digit, else text.
Cell DecimalCell(__int128 value, uint8_t scale) {
  constexpr __int128 kExact = __int128{1} << 53;
  if (value > -kExact && value < kExact && scale <= 22) {
    return Cell{static_cast<double>(static_cast<int64_t>(value)) / std::pow(10.0, scale)};
  }
  const Cell whole = WholeCell(value);
  std::string digits = std::holds_alternative<std::string>(whole) ? std::get<std::string>(whole)
                                                                  : fmt::format("{}", std::get<int64_t>(whole));
  const bool negative = digits[0] == '-';
  if (negative) digits.erase(0, 1);
  if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  if (scale > 0) digits.insert(digits.size() - scale, ".");
  return Cell{(negative ? "-" : "") + digits};
}

Cell DoubleCell(double value) {
  return std::isfinite(value) ? Cell{value} : Cell{std::string(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf")};
}

Cell ReadCell(const ColumnInfo& info, const Chunk& chunk, size_t column, size_t row) {
  if (chunk.IsNull(column, row)) return {};
  switch (info.type) {
    case c::kBoolean: return Cell{std::string(chunk.Data<bool>(column)[row] ? "true" : "false")};
    case c::kFloat: return DoubleCell(static_cast<double>(chunk.Data<float>(column)[row]));
    case c::kDouble: return DoubleCell(chunk.Data<double>(column)[row]);
    case c::kVarchar: return Cell{WithoutEnumLists(chunk.Text(column, row))};
    case c::kDecimal: return DecimalCell(StoredAs(info.stored_as, chunk, column, row), info.decimal_scale);
    case c::kEnum: {
      const auto code = static_cast<size_t>(StoredAs(info.stored_as, chunk, column, row));
      return code < info.enum_texts.size() ? Cell{info.enum_texts[code]} : Cell{};
    }
    case c::kUHugeInt: {
      const c::HugeInt value = chunk.Data<c::HugeInt>(column)[row];
      if (value.upper < 0) return Cell{std::string("beyond 128 bits")};
      return WholeCell(Wide(value));
    }
    default: return WholeCell(StoredAs(info.type, chunk, column, row));
  }
}

}  // namespace

bool CellReader::reads_all() const {
  return std::all_of(columns_.begin(), columns_.end(), [](const ColumnInfo& info) { return IsRead(info.type); });
}

std::string CellReader::WithTexts(const std::string& sql) const {
  std::string columns;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const std::string value =
        IsRead(columns_[i].type) ? fmt::format("#{}", i + 1) : fmt::format("CAST(#{} AS VARCHAR)", i + 1);
    columns += fmt::format("{}{} AS {}", i == 0 ? "" : ", ", value, store::duckdb::QuoteName(columns_[i].name));
  }
  return "SELECT " + columns + " FROM (" + sql + "\n)";
}

view::Kind CellReader::KindOf(size_t column) const {
  const c::TypeId type = columns_[column].type;
  return type == c::kVarchar || type == c::kEnum ? view::Kind::kName
         : type == c::kBoolean                   ? view::Kind::kText
                                                 : view::Kind::kExact;
}

std::vector<Cell> CellReader::Read(const Chunk& chunk, size_t row) const {
  std::vector<Cell> cells;
  cells.reserve(columns_.size());
  for (size_t column = 0; column < columns_.size(); ++column)
    cells.push_back(ReadCell(columns_[column], chunk, column, row));
  return cells;
}

}  // namespace warpscope::query
