// Table and Column: what SQL sees of a recording, as data. One list of them makes the views, `query --schema` and
// docs/schema/sql.md, so they cannot disagree.
// [MT] Constants once built; a Column's fill may run on several threads at once.
// A column writes values for chosen rows into a buffer that the engine owns, so nothing is copied that was not asked
// for. Texts are ids (see Texts): 0 is absent.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpscope::query {

enum class Type : uint8_t {
  kBool,    // bool
  kInt,     // int64_t
  kUInt,    // uint64_t: ids and addresses
  kDouble,  // double
  kText,    // uint32_t: id of a text
  kName,    // uint32_t: id of a text that recurs in many rows; groups and joins as fast as a number
};
std::string_view SqlName(Type type);  // "BIGINT" ...

// data: as many values as rows, of the C++ type above. validity: one bit a row, all set; null for columns that are
// never absent and for texts.
using Fill = std::function<void(std::span<const uint32_t> rows, void* data, uint64_t* validity)>;

struct Column {
  std::string_view name;
  Type type = Type::kInt;
  std::string_view unit;  // "ns", "bytes", "%" ...; "" for ids, words and plain numbers
  std::string_view meaning;
  bool nullable = false;
  Fill fill;
};

// Which rows of its source a table shows, in this order: `list`, or 0 .. count-1 where that is null.
struct Rows {
  uint64_t count = 0;
  const uint32_t* list = nullptr;
};

struct Table {
  std::string_view name;
  std::string_view meaning;  // "one row a ..."
  std::string_view record;   // what to record where it is empty
  std::vector<Column> columns;
  std::function<Rows()> rows;        // computed when first asked for; the same answer ever after
  std::optional<uint64_t> estimate;  // of the row count, where that is known without computing
};

namespace detail {
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

inline void SetNull(uint64_t* validity, size_t row) { validity[row / 64] &= ~(uint64_t{1} << (row % 64)); }
}  // namespace detail

// A column of `value(row)`, which yields a T or an optional of one.
template <typename T, typename F>
Column Make(Type type, std::string_view name, std::string_view unit, std::string_view meaning, F value) {
  constexpr bool kNullable = detail::IsOptional<std::invoke_result_t<F, uint32_t>>::value;
  return {name,
          type,
          unit,
          meaning,
          kNullable,
          [value = std::move(value)](std::span<const uint32_t> rows, void* data, uint64_t* validity) {
            T* out = static_cast<T*>(data);
            for (size_t i = 0; i < rows.size(); ++i) {
              const auto cell = value(rows[i]);
              if constexpr (!kNullable) {
                out[i] = static_cast<T>(cell);
              } else if (cell) {
                out[i] = static_cast<T>(*cell);
              } else {
                out[i] = T{};
                detail::SetNull(validity, i);
              }
            }
          }};
}
template <typename F>
Column Int(std::string_view name, std::string_view unit, std::string_view meaning, F value) {
  return Make<int64_t>(Type::kInt, name, unit, meaning, std::move(value));
}
template <typename F>
Column UInt(std::string_view name, std::string_view meaning, F value) {
  return Make<uint64_t>(Type::kUInt, name, "", meaning, std::move(value));
}
template <typename F>
Column Double(std::string_view name, std::string_view unit, std::string_view meaning, F value) {
  return Make<double>(Type::kDouble, name, unit, meaning, std::move(value));
}
template <typename F>
Column Bool(std::string_view name, std::string_view meaning, F value) {
  return Make<bool>(Type::kBool, name, "", meaning, std::move(value));
}
// `value(row)` yields an id of a text; 0 is absent.
template <typename F>
Column Text(std::string_view name, std::string_view meaning, F value) {
  return Make<uint32_t>(Type::kText, name, "", meaning, std::move(value));
}
template <typename F>
Column Name(std::string_view name, std::string_view meaning, F value) {
  return Make<uint32_t>(Type::kName, name, "", meaning, std::move(value));
}

}  // namespace warpscope::query
