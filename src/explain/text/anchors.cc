#include "explain/text/anchors.h"

#include <deque>

#include "explain/text/pattern.h"

namespace warpscope::explain {

Anchors::Anchors(const std::vector<std::string_view>& texts) {
  constexpr size_t kMostNodes = 60'000, kMostAscii = 128;
  for (const std::string_view text : texts) {
    for (const char c : text) {
      // Nothing beyond ASCII is told apart: no text holds it.
      const auto lower = static_cast<unsigned char>(Lower(c));
      if (lower < kMostAscii && symbol_[lower] == 0) symbol_[lower] = static_cast<uint8_t>(symbols_++);
    }
  }
  for (size_t byte = 'A'; byte <= 'Z'; ++byte)
    symbol_[byte] = symbol_[static_cast<unsigned char>(Lower(static_cast<char>(byte)))];
  const auto add_node = [this](uint32_t depth) {
    next_.resize(next_.size() + symbols_);
    depth_.push_back(depth);
    shorter_.push_back(0);
    ends_.emplace_back();
    return static_cast<uint16_t>(ends_.size() - 1);
  };
  add_node(0);
  for (uint32_t index = 0; index < texts.size(); ++index) {
    sizes_.push_back(texts[index].size());
    if (texts[index].empty() || ends_.size() + texts[index].size() > kMostNodes) continue;
    size_t node = 0;
    for (const char c : texts[index]) {
      const size_t edge = node * symbols_ + Symbol(c);
      if (next_[edge] == 0) {
        const uint16_t created = add_node(depth_[node] + 1);
        next_[edge] = created;
      }
      node = next_[edge];
    }
    ends_[node].push_back(index);
  }
  // Breadth first: a missing edge becomes that of the longest proper suffix, which is nearer to the root and done.
  std::vector<uint16_t> suffix(ends_.size(), 0);
  is_end_.resize(ends_.size());
  std::deque<uint16_t> queue;
  for (size_t symbol = 0; symbol < symbols_; ++symbol) {
    if (next_[symbol] != 0) queue.push_back(next_[symbol]);
  }
  while (!queue.empty()) {
    const uint16_t node = queue.front();
    queue.pop_front();
    shorter_[node] = ends_[suffix[node]].empty() ? shorter_[suffix[node]] : suffix[node];
    is_end_[node] = !ends_[node].empty() || shorter_[node] != 0 ? 1 : 0;
    for (size_t symbol = 0; symbol < symbols_; ++symbol) {
      const uint16_t child = next_[node * symbols_ + symbol];
      const uint16_t other = next_[suffix[node] * symbols_ + symbol];
      if (child == 0) {
        next_[node * symbols_ + symbol] = other;
        continue;
      }
      suffix[child] = other;
      queue.push_back(child);
    }
  }
}

}  // namespace warpscope::explain
