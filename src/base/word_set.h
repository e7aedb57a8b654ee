// WordSet: which of some fixed words a text holds, in one pass whatever their number (Aho and Corasick, CACM 18(6),
// 1975). It tells cheaply which readers a line may concern. [MT] after construction. ASCII letters' case does not
// matter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace warpscope {

class WordSet {
 public:
  // Words with the bits that they set; at most 60,000 letters in all, no empty word.
  explicit WordSet(const std::vector<std::pair<std::string_view, uint64_t>>& words);

  // The bits of all words that `text` holds.
  uint64_t In(std::string_view text) const {
    uint64_t found = 0;
    const uint16_t* const next = next_.data();
    size_t state = 0;
    for (const char byte : text) {
      state = next[state * symbols_ + symbol_[static_cast<unsigned char>(byte)]];
      found |= bits_[state];
    }
    return found;
  }

 private:
  std::array<uint8_t, 256> symbol_{};  // 0: in no word
  size_t symbols_ = 1;
  std::vector<uint16_t> next_;  // by state and symbol
  std::vector<uint64_t> bits_;  // of the words that end in a state
};

}  // namespace warpscope
