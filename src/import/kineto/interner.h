// Interner<T>: equal rows stored once, numbered in order of first appearance.
// [one thread]
#pragma once

#include <cstdint>
#include <vector>

namespace warpscope::import::kineto {

inline uint64_t MixHash(uint64_t hash, uint64_t value) {
  const auto product = static_cast<unsigned __int128>(hash ^ value) * 0x9E3779B97F4A7C15ULL;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

struct RowHash;  // hashes every kind of row that is interned; fragment.h

// REQUIRES: T has operator==.
template <typename T, typename Hash = RowHash>
class Interner {
 public:
  uint32_t Intern(const T& value) {
    const uint64_t hash = Hash{}(value);
    const size_t mask = slots_.size() - 1;
    size_t slot = hash & mask;
    while (slots_[slot] != 0) {
      if (rows_[slots_[slot] - 1] == value) return slots_[slot] - 1;
      slot = (slot + 1) & mask;
    }
    rows_.push_back(value);
    slots_[slot] = static_cast<uint32_t>(rows_.size());
    if (rows_.size() * 2 > slots_.size()) Grow();
    return static_cast<uint32_t>(rows_.size() - 1);
  }
  const std::vector<T>& rows() const { return rows_; }
  std::vector<T>& rows() { return rows_; }
  uint32_t size() const { return static_cast<uint32_t>(rows_.size()); }

 private:
  void Grow() {
    std::vector<uint32_t> bigger(slots_.size() * 2, 0);
    const size_t mask = bigger.size() - 1;
    for (uint32_t row = 0; row < rows_.size(); ++row) {
      size_t slot = Hash{}(rows_[row]) & mask;
      while (bigger[slot] != 0) slot = (slot + 1) & mask;
      bigger[slot] = row + 1;
    }
    slots_.swap(bigger);
  }

  std::vector<T> rows_;
  std::vector<uint32_t> slots_ = std::vector<uint32_t>(64, 0);
};

}  // namespace warpscope::import::kineto
