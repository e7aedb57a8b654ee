// Names: the strings of a page, numbered by how often they are used, so that frequent ones take one byte of a column.
// [one thread]
// Use: Count() every use, Finish(), then PageId(). Id 0 is "no name". Invariant: the same uses give the same ids.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/string_pool.h"

namespace warpscope::page {

class Names {
 public:
  // A string of the trace or one made here (Own); the pool must outlive this.
  using Key = uint32_t;

  explicit Names(const model::StringPool& pool) : pool_(&pool), uses_(pool.size(), 0) {}

  Key Own(std::string_view text);
  void Count(Key key) { ++uses_[key]; }
  void Finish();
  uint32_t PageId(Key key) const { return page_id_[key]; }

  // JSON array of texts, [0] is "". Kernel names are demangled; longer ones than `max_bytes` are cut and counted.
  std::string Json(size_t max_bytes, uint64_t* cut) const;
  std::string_view Text(Key key) const;

 private:
  const model::StringPool* pool_;
  std::vector<uint64_t> uses_;
  std::vector<std::string> own_;
  std::unordered_map<std::string, Key> own_key_;
  std::vector<uint32_t> page_id_;
  std::vector<Key> order_;  // by page id, without 0
};

}  // namespace warpscope::page
