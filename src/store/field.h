// Field: one column of a table of the run format - its name and how its values go out of a Trace and come back.
// Every column is a BIGINT, DOUBLE, BOOLEAN or VARCHAR, so that every engine reads it; what is absent is NULL. Unsigned
// 64-bit values keep their bits (ids of 2^63 and more show as negative numbers).
// [MT] Constants. `write` and `read` may run on several threads on different rows.
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

#include "model/trace.h"
#include "store/duckdb/table_function.h"
#include "store/texts.h"

namespace warpscope::store {

// The tables that other tables refer to by row number.
enum class Target : uint8_t {
  kSources,
  kDevices,
  kProcesses,
  kThreads,
  kStreams,
  kHost,
  kGpu,
  kOpDetails,
  kAnnotationDetails,
  kLaunchConfigs,
  kCopyDetails,
  kMetrics,
  kAdvice,
  kKernelCodes,
  kLinkDomains,
  kCount,
};

// Rows [base, base + rows) of each target belong to the run that is read.
struct Ranges {
  struct Range {
    uint32_t base = 0, rows = 0;
  };
  Range of[static_cast<size_t>(Target::kCount)];
  Range& operator[](Target target) { return of[static_cast<size_t>(target)]; }
  const Range& operator[](Target target) const { return of[static_cast<size_t>(target)]; }
};

struct Cells {  // values of one column, of consecutive rows
  const void* data = nullptr;
  const uint64_t* valid = nullptr;
  size_t count = 0;
  bool Null(size_t i) const { return valid != nullptr && (valid[i / 64] >> (i % 64) & 1) == 0; }
  int64_t Integer(size_t i) const { return static_cast<const int64_t*>(data)[i]; }
  double Real(size_t i) const { return static_cast<const double*>(data)[i]; }
  bool Bool(size_t i) const { return static_cast<const bool*>(data)[i]; }
  const duckdb::c::String& Text(size_t i) const { return static_cast<const duckdb::c::String*>(data)[i]; }
};

struct Reading {
  model::Trace* trace;
  const Ranges* ranges;
  Texts* texts;                             // of this thread
  std::vector<model::LedgerEntry>* ledger;  // put into the trace when all is read
};

struct Writing {
  const model::Trace& trace;
  const WritableTexts& texts;
  std::vector<model::LedgerEntry> ledger;
};

struct Field {
  std::string name;
  duckdb::Type type = duckdb::Type::kInt64;
  std::string doc;
  std::function<void(const Writing&, uint64_t begin, size_t count, duckdb::ColumnWriter&)> write;
  // Puts `in` to rows from `row` on. Returns the index of the first value that cannot be, or in.count. Null: a column
  // for readers of the files, made of others.
  std::function<size_t(const Cells& in, uint64_t row, Reading&)> read;
  bool needed = false;  // a file without this column, or with NULL in it, is no run
};

struct TableSchema {
  std::string name, doc;
  uint64_t (*rows)(const model::Trace&);
  void (*grow)(model::Trace*, uint64_t rows);  // appends rows to be filled; null: the reader makes them
  std::vector<Field> fields;
};

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

// `at(trace, row)` gives a reference to the value; Trace may be const.
template <typename At>
using ValueOf = std::remove_cvref_t<decltype(std::declval<At>()(std::declval<model::Trace&>(), 0u))>;

// Integers, doubles and bools, and std::optional of them (NULL if empty).
template <typename At>
Field Value(std::string name, std::string doc, At at) {
  using T = ValueOf<At>;
  Field field{std::move(name), duckdb::Type::kInt64, std::move(doc), nullptr, nullptr, !IsOptional<T>::value};
  const auto define = [&]<typename Stored>(std::type_identity<Stored>, duckdb::Type type) {
    field.type = type;
    field.write = [at](const Writing& from, uint64_t begin, size_t count, duckdb::ColumnWriter& to) {
      Stored* out = to.Data<Stored>();
      for (size_t i = 0; i < count; ++i) {
        const auto& value = at(from.trace, begin + i);
        if constexpr (IsOptional<T>::value) {
          if (value) {
            out[i] = static_cast<Stored>(*value);
          } else {
            to.SetNull(i);
          }
        } else {
          out[i] = static_cast<Stored>(value);
        }
      }
    };
    field.read = [at](const Cells& in, uint64_t row, Reading& reading) {
      const Stored* from = static_cast<const Stored*>(in.data);
      for (size_t i = 0; i < in.count; ++i) {
        auto& value = at(*reading.trace, row + i);
        if constexpr (IsOptional<T>::value) {
          using Inner = typename T::value_type;
          if (in.Null(i)) continue;
          if constexpr (std::is_same_v<Inner, uint32_t>) {
            if (from[i] < 0 || from[i] > UINT32_MAX) return i;
          }
          value = static_cast<Inner>(from[i]);
        } else {
          if (in.Null(i)) return i;
          if constexpr (std::is_same_v<T, uint32_t>) {
            if (from[i] < 0 || from[i] > UINT32_MAX) return i;
          }
          value = static_cast<T>(from[i]);
        }
      }
      return in.count;
    };
  };
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>) {
    define(std::type_identity<double>(), duckdb::Type::kDouble);
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::optional<bool>>) {
    define(std::type_identity<bool>(), duckdb::Type::kBool);
  } else {
    define(std::type_identity<int64_t>(), duckdb::Type::kInt64);
  }
  return field;
}

// Points of time and durations: far from the ends of int64, so that sums of a few of them cannot overflow.
inline constexpr int64_t kMaxTimeNs = INT64_MAX / 4;

template <typename At>
Field Time(std::string name, std::string doc, int64_t least_ns, At at) {
  Field field = Value(std::move(name), std::move(doc), at);
  field.read = [at, least_ns](const Cells& in, uint64_t row, Reading& reading) {
    for (size_t i = 0; i < in.count; ++i) {
      const int64_t value = in.Integer(i);
      if (value < least_ns || value > kMaxTimeNs || in.Null(i)) return i;
      at(*reading.trace, row + i) = value;
    }
    return in.count;
  };
  return field;
}

// NULL stands for the value `none`.
template <typename At, typename T>
Field OrNull(std::string name, std::string doc, T none, At at) {
  Field field{std::move(name), duckdb::Type::kInt64, std::move(doc), nullptr, nullptr, false};
  field.write = [at, none](const Writing& from, uint64_t begin, size_t count, duckdb::ColumnWriter& to) {
    int64_t* out = to.Data<int64_t>();
    for (size_t i = 0; i < count; ++i) {
      const auto value = at(from.trace, begin + i);
      out[i] = static_cast<int64_t>(value);
      if (value == none) to.SetNull(i);
    }
  };
  field.read = [at, none](const Cells& in, uint64_t row, Reading& reading) {
    for (size_t i = 0; i < in.count; ++i) {
      const int64_t value = in.Integer(i);
      if (sizeof(T) == 4 && !in.Null(i) && (value < 0 || value > UINT32_MAX)) return i;
      at(*reading.trace, row + i) = in.Null(i) ? none : static_cast<T>(value);
    }
    return in.count;
  };
  return field;
}

// A row number of another table; written relative to nothing, read relative to where that table's rows begin.
template <typename At>
Field RowOf(std::string name, std::string doc, Target target, bool needed, At at) {
  Field field = OrNull(std::move(name), std::move(doc), model::kNone, at);
  field.needed = needed;
  field.read = [at, target, needed](const Cells& in, uint64_t row, Reading& reading) {
    const Ranges::Range range = (*reading.ranges)[target];
    for (size_t i = 0; i < in.count; ++i) {
      const auto value = static_cast<uint64_t>(in.Integer(i));
      uint32_t& to = at(*reading.trace, row + i);
      if (in.Null(i)) {
        if (needed) return i;
        to = model::kNone;
      } else if (value >= range.rows) {
        return i;
      } else {
        to = range.base + static_cast<uint32_t>(value);
      }
    }
    return in.count;
  };
  return field;
}

// The end of a range of rows: may also be one behind the last.
template <typename At>
Field EdgeOf(std::string name, std::string doc, Target target, At at) {
  Field field = Value(std::move(name), std::move(doc), at);
  field.read = [at, target](const Cells& in, uint64_t row, Reading& reading) {
    const Ranges::Range range = (*reading.ranges)[target];
    for (size_t i = 0; i < in.count; ++i) {
      const auto value = static_cast<uint64_t>(in.Integer(i));
      if (in.Null(i) || value > range.rows) return i;
      at(*reading.trace, row + i) = range.base + static_cast<uint32_t>(value);
    }
    return in.count;
  };
  return field;
}

// An interned text; NULL is kNoString.
template <typename At>
Field Text(std::string name, std::string doc, At at) {
  Field field{std::move(name), duckdb::Type::kText, std::move(doc), nullptr, nullptr, false};
  field.write = [at](const Writing& from, uint64_t begin, size_t count, duckdb::ColumnWriter& to) {
    for (size_t i = 0; i < count; ++i) {
      const model::StringId id = at(from.trace, begin + i);
      if (id == model::kNoString) {
        to.SetNull(i);
      } else {
        to.SetLastingText(i, from.texts.Get(id));
      }
    }
  };
  field.read = [at](const Cells& in, uint64_t row, Reading& reading) {
    for (size_t i = 0; i < in.count; ++i) {
      const model::StringId id = in.Null(i) ? model::kNoString : reading.texts->IdOf(in.Text(i));
      if (id == model::kNoString && !in.Null(i)) return i;
      at(*reading.trace, row + i) = id;
    }
    return in.count;
  };
  return field;
}

// A std::string; NULL is "".
template <typename At>
Field Words(std::string name, std::string doc, At at) {
  Field field{std::move(name), duckdb::Type::kText, std::move(doc), nullptr, nullptr, false};
  field.write = [at](const Writing& from, uint64_t begin, size_t count, duckdb::ColumnWriter& to) {
    for (size_t i = 0; i < count; ++i) {
      const std::string& words = at(from.trace, begin + i);
      if (words.empty()) {
        to.SetNull(i);
      } else {
        to.SetText(i, IsUtf8(words) ? words : ToUtf8(words));
      }
    }
  };
  field.read = [at](const Cells& in, uint64_t row, Reading& reading) {
    for (size_t i = 0; i < in.count; ++i) {
      if (!in.Null(i)) at(*reading.trace, row + i) = duckdb::Chunk::View(in.Text(i));
    }
    return in.count;
  };
  return field;
}

// An enum as its word.
template <typename At>
Field Word(std::string name, std::string doc, std::span<const std::string_view> words, At at) {
  using T = ValueOf<At>;
  Field field{std::move(name), duckdb::Type::kText, std::move(doc), nullptr, nullptr, true};
  field.write = [at, words](const Writing& from, uint64_t begin, size_t count, duckdb::ColumnWriter& to) {
    for (size_t i = 0; i < count; ++i) to.SetLastingText(i, words[static_cast<size_t>(at(from.trace, begin + i))]);
  };
  field.read = [at, words](const Cells& in, uint64_t row, Reading& reading) {
    size_t last = 0;  // mostly the same again
    for (size_t i = 0; i < in.count; ++i) {
      if (in.Null(i)) return i;
      const std::string_view text = duckdb::Chunk::View(in.Text(i));
      if (text != words[last]) {
        for (last = 0; last < words.size() && words[last] != text;) ++last;
        if (last == words.size()) return i;
      }
      at(*reading.trace, row + i) = static_cast<T>(last);
    }
    return in.count;
  };
  return field;
}

// Made of other columns, for those who read the files: `value(trace, row)` gives a std::optional<int64_t>, a
// std::optional<double> or a std::optional<std::string_view> into memory that lasts.
template <typename Make>
Field Derived(std::string name, std::string doc, Make make) {
  using T = typename std::remove_cvref_t<decltype(make(std::declval<const model::Trace&>(), 0u))>::value_type;
  Field field{std::move(name), duckdb::Type::kInt64, std::move(doc), nullptr, nullptr, false};
  if constexpr (std::is_same_v<T, std::string_view>) field.type = duckdb::Type::kText;
  if constexpr (std::is_same_v<T, double>) field.type = duckdb::Type::kDouble;
  field.write = [make](const Writing& from, uint64_t begin, size_t count, duckdb::ColumnWriter& to) {
    for (size_t i = 0; i < count; ++i) {
      const auto value = make(from.trace, begin + i);
      if (!value) {
        to.SetNull(i);
      } else if constexpr (std::is_same_v<T, std::string_view>) {
        to.SetLastingText(i, *value);
      } else {
        to.template Data<T>()[i] = *value;
      }
    }
  };
  return field;
}

}  // namespace warpscope::store
