// Anchors: finds many fixed texts in one pass, whatever their number (Aho and Corasick, CACM 18(6), 1975).
// [MT] after construction. Letters' case does not matter. Memory: about 130 bytes a letter of the texts, so that what
// is met often stays in the cache.
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

  // Calls visit(index of the text, place where it begins) for each occurrence, in order of its end. Returns the state
  // at the end of the text.
  template <typename F>
  uint16_t Visit(std::string_view text, F visit) const {
    uint16_t state = 0;
    const uint16_t* const next = next_.data();
    for (size_t at = 0; at < text.size(); ++at) {
      state = next[size_t{state} * symbols_ + Symbol(text[at])];
      if (is_end_[state] != 0) Tell(state, at + 1, visit);
    }
    return state;
  }
  // Goes on from `state` behind a text of `size` bytes: occurrences that began in it and end in `further`.
  template <typename F>
  void VisitOver(uint16_t state, size_t size, std::string_view further, F visit) const {
    for (size_t at = 0; at < further.size() && depth_[state] > at; ++at) {
      state = next_[size_t{state} * symbols_ + Symbol(further[at])];
      if (is_end_[state] == 0) continue;
      Tell(state, size + at + 1, [&](uint32_t index, size_t begin) {
        if (begin < size) visit(index, begin);
      });
    }
  }

 private:
  size_t Symbol(char c) const { return symbol_[static_cast<unsigned char>(c)]; }
  // Those that end in `state`, which is `end` bytes into the text.
  template <typename F>
  void Tell(uint16_t state, size_t end, F visit) const {
    for (uint16_t node = state; node != 0; node = shorter_[node]) {
      for (const uint32_t index : ends_[node]) visit(index, end - sizes_[index]);
    }
  }

  std::array<uint8_t, 256> symbol_{};  // 0: in no text
  size_t symbols_ = 1;
  std::vector<uint16_t> next_;     // by state and symbol
  std::vector<uint8_t> is_end_;    // a text ends here, or at a suffix
  std::vector<uint32_t> depth_;    // bytes from the root
  std::vector<uint16_t> shorter_;  // longest proper suffix at which a text ends; 0: none
  std::vector<std::vector<uint32_t>> ends_;
  std::vector<size_t> sizes_;
};

}  // namespace warpscope::explain
