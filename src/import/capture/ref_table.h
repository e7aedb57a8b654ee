// RefTable: what the numbers of a stream's definitions stand for.
// [one thread] Numbers grow by one in an undamaged file, so most lie densely; one that jumps ahead (a lost block, a
// hostile file) costs one entry and no gap. So memory grows with the definitions that were read, never with their
// numbers.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpscope::import::capture {

template <typename Value>
class RefTable {
 public:
  // A later definition of the same number holds from then on.
  void Set(uint64_t ref, Value value) {
    if (ref == 0) return;
    if (ref <= dense_.size()) dense_[ref - 1] = std::move(value);
    else if (ref == dense_.size() + 1) dense_.push_back(std::move(value));
    else sparse_[ref] = std::move(value);
  }
  // Null: never defined.
  const Value* Find(uint64_t ref) const {
    if (ref == 0) return nullptr;
    if (ref <= dense_.size()) return &dense_[ref - 1];
    const auto it = sparse_.find(ref);
    return it == sparse_.end() ? nullptr : &it->second;
  }

 private:
  std::vector<Value> dense_;
  std::unordered_map<uint64_t, Value> sparse_;
};

}  // namespace warpscope::import::capture
