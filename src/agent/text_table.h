// TextTable: names that were written to the stream already, by content, in bounded memory. [one thread]
// A full table gives every text it does not hold a fresh number: nothing is lost but room in the file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpscope::agent {

class TextTable {
 public:
  bool Init();
  // The number of the text; *is_new: it must be written to the stream before it is used.
  uint32_t Find(const char* text, size_t size, bool* is_new);
  // Forgets all texts; numbers go on.
  void Clear();
  // Our copy of the text of the last Find, with a zero behind it; null if it found no room. It stays as long as the
  // table.
  const char* last_stored() const { return last_stored_; }

 private:
  static constexpr uint32_t kSlots = 1 << 16;
  static constexpr uint32_t kMostTexts = kSlots / 2;
  static constexpr size_t kMostBytes = size_t{6} << 20;

  struct Slot {
    uint32_t number;  // 0: free
    uint32_t hash;
    uint32_t offset, size;
  };
  Slot* slots_ = nullptr;
  char* texts_ = nullptr;
  size_t used_bytes_ = 0;
  uint32_t stored_ = 0;
  uint32_t last_ = 0;
  const char* last_stored_ = nullptr;
};

}  // namespace warpscope::agent
