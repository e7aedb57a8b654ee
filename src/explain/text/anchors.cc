#include "explain/text/anchors.h"

#include <deque>

#include "explain/text/pattern.h"

namespace warpscope::explain {

Anchors::Anchors(const std::vector<std::string_view>& texts) {
  constexpr size_t kMostNodes = 60'000;
  for (size_t byte = 0; byte < symbol_.size(); ++byte) {
    const auto lower = static_cast<unsigned char>(Lower(static_cast<char>(byte)));
    symbol_[byte] = lower < kSymbols ? lower : 0;  // 0 stands for everything beyond ASCII: no text holds it
  }
  const auto add_node = [this] {
    next_.emplace_back();
    next_.back().fill(0);
    shorter_.push_back(0);
    ends_.emplace_back();
    return static_cast<uint16_t>(next_.size() - 1);
  };
  add_node();
  for (uint32_t index = 0; index < texts.size(); ++index) {
    sizes_.push_back(texts[index].size());
    if (texts[index].empty() || next_.size() + texts[index].size() > kMostNodes) continue;
    uint16_t node = 0;
    for (const char c : texts[index]) {
      const size_t symbol = Symbol(c);
      if (next_[node][symbol] == 0) {
        const uint16_t created = add_node();
        next_[node][symbol] = created;
      }
      node = next_[node][symbol];
    }
    ends_[node].push_back(index);
  }
  // Breadth first: a missing edge becomes that of the longest proper suffix, which is nearer to the root and done.
  std::vector<uint16_t> suffix(next_.size(), 0);
  std::deque<uint16_t> queue;
  for (const uint16_t child : next_[0]) {
    if (child != 0) queue.push_back(child);
  }
  while (!queue.empty()) {
    const uint16_t node = queue.front();
    queue.pop_front();
    shorter_[node] = ends_[suffix[node]].empty() ? shorter_[suffix[node]] : suffix[node];
    for (size_t symbol = 0; symbol < kSymbols; ++symbol) {
      const uint16_t child = next_[node][symbol];
      if (child == 0) {
        next_[node][symbol] = next_[suffix[node]][symbol];
        continue;
      }
      suffix[child] = next_[suffix[node]][symbol];
      queue.push_back(child);
    }
  }
}

}  // namespace warpscope::explain
