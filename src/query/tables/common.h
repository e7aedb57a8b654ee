// What several families of tables need: absent values as optionals, words of enumerations, row lists by kind.
// [MT] Pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "query/recording.h"
#include "query/table.h"

namespace warpscope::query {

inline std::optional<uint64_t> IdOrAbsent(uint64_t id) {
  return id == model::kNoId ? std::nullopt : std::optional<uint64_t>(id);
}
inline std::optional<int64_t> RowOrAbsent(uint32_t row) {
  return row == model::kNone ? std::nullopt : std::optional<int64_t>(row);
}

// Ids of the words of a small enumeration, made while tables are built.
template <size_t kCount, typename E>
class Words {
 public:
  Words(Recording& recording, const std::string_view (&names)[kCount]) {
    for (size_t i = 0; i < kCount; ++i) ids_[i] = recording.texts.Add(names[i]);
  }
  uint32_t operator[](E value) const {
    const auto at = static_cast<size_t>(value);
    return at < kCount ? ids_[at] : model::kNoString;
  }

 private:
  uint32_t ids_[kCount];
};
// The same for one whose words a function tells.
template <size_t kCount, typename E>
class NamedWords {
 public:
  NamedWords(Recording& recording, std::string_view (*name)(E)) {
    for (size_t i = 0; i < kCount; ++i) {
      const std::string_view word = name(static_cast<E>(i));
      ids_[i] = word == "unknown" ? model::kNoString : recording.texts.Add(word);  // not known is absent
    }
  }
  uint32_t operator[](E value) const {
    const auto at = static_cast<size_t>(value);
    return at < kCount ? ids_[at] : model::kNoString;
  }

 private:
  uint32_t ids_[kCount];
};

// Rows 0 .. count-1.
inline std::function<Rows()> AllRows(uint64_t count) {
  return [count] { return Rows{count, nullptr}; };
}
// Those of 0 .. count-1 for which `keep` holds, found when first asked for.
template <typename F>
std::function<Rows()> RowsThat(uint32_t count, F keep) {
  return [count, keep = std::move(keep), found = std::make_shared<Lazy<std::vector<uint32_t>>>()] {
    const auto& list = found->Get([&] {
      std::vector<uint32_t> rows;
      for (uint32_t row = 0; row < count; ++row) {
        if (keep(row)) rows.push_back(row);
      }
      return rows;
    });
    return Rows{list.size(), list.data()};
  };
}

// A table whose rows are values that `compute` makes when they are first needed. Columns read them by Get().
template <typename T>
class Computed {
 public:
  template <typename F>
  explicit Computed(F compute) : state_(std::make_shared<State>(State{{}, std::move(compute)})) {}
  const std::vector<T>& Get() const {
    return state_->values.Get([this] { return state_->compute(); });
  }
  const T& operator[](uint32_t row) const { return Get()[row]; }
  std::function<Rows()> rows() const {
    return [self = *this] { return Rows{self.Get().size(), nullptr}; };
  }

 private:
  struct State {
    Lazy<std::vector<T>> values;
    std::function<std::vector<T>()> compute;
  };
  std::shared_ptr<State> state_;
};

template <typename T>
std::vector<T> operator+(std::vector<T> left, std::vector<T> right) {
  for (T& item : right) left.push_back(std::move(item));
  return left;
}

}  // namespace warpscope::query
