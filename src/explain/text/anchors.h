// Anchors: finds many fixed texts in one pass, whatever their number (Aho and Corasick, CACM 18(6), 1975).
// [MT] after construction. Letters' case does not matter. Memory: about 256 bytes a letter of the texts.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace warpscope::explain {

class Anchors {
 public:
  // `texts`: at most 60,000 letters in all; empty ones never match.
  explicit Anchors(const std::vector<std::string_view>& texts);

  // Calls visit(index of the text, place where it begins) for each occurrence, in order of its end.
  template <typename F>
  void Visit(std::string_view text, F visit) const {
    uint16_t state = 0;
    for (size_t at = 0; at < text.size(); ++at) {
      state = next_[state][Symbol(text[at])];
      for (uint16_t node = state; node != 0; node = shorter_[node]) {
        for (const uint32_t index : ends_[node]) visit(index, at + 1 - sizes_[index]);
      }
    }
  }

 private:
  static constexpr size_t kSymbols = 128;
  size_t Symbol(char c) const { return symbol_[static_cast<unsigned char>(c)]; }

  std::array<uint8_t, 256> symbol_{};

  std::vector<std::array<uint16_t, kSymbols>> next_;
  std::vector<uint16_t> shorter_;  // longest proper suffix at which a text ends; 0: none
  std::vector<std::vector<uint32_t>> ends_;
  std::vector<size_t> sizes_;
};

}  // namespace warpscope::explain
