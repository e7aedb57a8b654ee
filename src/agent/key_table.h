// KeyTable: numbers for small keys of plain words (streams, launch shapes, threads), in fixed memory. [one thread]
// When it is full the oldest numbers are forgotten all at once: definitions are then written again.
#pragma once

#include <cstdint>
#include <cstring>

namespace warpscope::agent {

template <typename Key, uint32_t kSlots>
class KeyTable {
 public:
  uint32_t Find(const Key& key, bool* is_new) {
    uint32_t at = HashOf(key) % kSlots;
    for (; slots_[at].number != 0; at = (at + 1) % kSlots) {
      if (memcmp(&slots_[at].key, &key, sizeof(Key)) == 0) {
        *is_new = false;
        return slots_[at].number;
      }
    }
    *is_new = true;
    if (used_ >= kSlots / 2) {
      Clear();
      at = HashOf(key) % kSlots;
    }
    ++used_;
    slots_[at].key = key;
    slots_[at].number = ++last_;
    return last_;
  }
  // Forgets all keys; numbers go on.
  void Clear() {
    memset(slots_, 0, sizeof(slots_));
    used_ = 0;
  }

 private:
  static uint32_t HashOf(const Key& key) {
    uint32_t words[sizeof(Key) / 4];
    static_assert(sizeof(Key) % 4 == 0);
    memcpy(words, &key, sizeof(Key));
    uint64_t hash = 14695981039346656037ULL;
    for (const uint32_t word : words) hash = (hash ^ word) * 1099511628211ULL, hash ^= hash >> 31;
    return static_cast<uint32_t>(hash ^ (hash >> 32));
  }
  struct Slot {
    Key key;
    uint32_t number;
  };
  Slot slots_[kSlots] = {};
  uint32_t used_ = 0;
  uint32_t last_ = 0;  // zero, so that the table needs no image in the file
};

}  // namespace warpscope::agent
