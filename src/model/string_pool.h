// StringPool: every name of a trace stored once; tables hold 32-bit ids.
// [one thread] for Intern; [MT] for reads once interning has stopped.
// Invariants: id 0 is "absent" and reads as ""; ids are dense and given in order of first appearance, so the same
// input gives the same ids; views stay valid for the pool's lifetime (arena blocks never move).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace warpscope::model {

using StringId = uint32_t;
inline constexpr StringId kNoString = 0;

class StringPool {
 public:
  StringPool();
  StringPool(StringPool&&) = default;
  StringPool& operator=(StringPool&&) = default;

  // Copies `text` if it is new. "" gives a real id of its own (an empty name is not an absent one).
  StringId Intern(std::string_view text) { return InternHashed(text, Hash(text)); }
  // REQUIRES: hash == Hash(text). Lets pools be merged without hashing twice.
  StringId InternHashed(std::string_view text, uint64_t hash);
  // kNoString if the text was never interned.
  StringId Find(std::string_view text) const;

  std::string_view Get(StringId id) const { return views_[id]; }
  uint64_t HashOf(StringId id) const { return hashes_[id]; }
  uint32_t size() const { return static_cast<uint32_t>(views_.size()); }
  uint64_t memory_bytes() const;

  static uint64_t Hash(std::string_view text);

 private:
  void Grow();
  std::string_view Store(std::string_view text);

  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_used_bytes_ = 0;
  size_t block_size_bytes_ = 0;
  uint64_t stored_bytes_ = 0;
  std::vector<std::string_view> views_;
  std::vector<uint64_t> hashes_;
  std::vector<uint32_t> slots_;  // open addressing, power of two; 0 = free, else id
};

}  // namespace warpscope::model
