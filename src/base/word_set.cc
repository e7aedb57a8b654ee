#include "base/word_set.h"

#include <deque>

namespace warpscope {
namespace {

constexpr unsigned char Lower(unsigned char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<unsigned char>(byte - 'A' + 'a') : byte;
}

}  // namespace

WordSet::WordSet(const std::vector<std::pair<std::string_view, uint64_t>>& words) {
  constexpr size_t kMostStates = 60'000;
  for (const auto& [word, bits] : words) {
    for (const char c : word) {
      uint8_t& symbol = symbol_[Lower(static_cast<unsigned char>(c))];
      if (symbol == 0) symbol = static_cast<uint8_t>(symbols_++);
    }
  }
  for (unsigned byte = 'A'; byte <= 'Z'; ++byte) symbol_[byte] = symbol_[Lower(static_cast<unsigned char>(byte))];
  const auto add_state = [this] {
    next_.resize(next_.size() + symbols_);
    bits_.push_back(0);
    return static_cast<uint16_t>(bits_.size() - 1);
  };
  add_state();
  for (const auto& [word, bits] : words) {
    if (word.empty() || bits_.size() + word.size() > kMostStates) continue;
    size_t state = 0;
    for (const char c : word) {
      const size_t edge = state * symbols_ + symbol_[static_cast<unsigned char>(c)];
      if (next_[edge] == 0) {
        const uint16_t created = add_state();
        next_[edge] = created;
      }
      state = next_[edge];
    }
    bits_[state] |= bits;
  }
  // Breadth first: a missing edge becomes that of the longest proper suffix, which is nearer to the root and done.
  std::vector<uint16_t> suffix(bits_.size(), 0);
  std::deque<uint16_t> queue;
  for (size_t symbol = 0; symbol < symbols_; ++symbol) {
    if (next_[symbol] != 0) queue.push_back(next_[symbol]);
  }
  while (!queue.empty()) {
    const uint16_t state = queue.front();
    queue.pop_front();
    bits_[state] |= bits_[suffix[state]];
    for (size_t symbol = 0; symbol < symbols_; ++symbol) {
      const uint16_t child = next_[state * symbols_ + symbol];
      const uint16_t shorter = next_[suffix[state] * symbols_ + symbol];
      if (child == 0) {
        next_[state * symbols_ + symbol] = shorter;
        continue;
      }
      suffix[child] = shorter;
      queue.push_back(child);
    }
  }
}

}  // namespace warpscope
