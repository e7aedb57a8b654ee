#include "rules/application/live_blocks.h"

#include <unordered_map>

#include "analysis/call_tree.h"

namespace warpscope::rules {

LiveBlocks CountLiveBlocks(const Context& c, uint32_t device) {
  std::unordered_map<uint64_t, const model::MemoryEvent*> alive;
  int64_t net = 0;
  for (const model::MemoryEvent& event : c.trace.memory) {
    if (event.device != device || event.time_ns < c.begin_ns || event.time_ns >= c.end_ns) continue;
    net += event.bytes > 0 ? 1 : -1;
    if (event.bytes > 0) {
      alive[event.address] = &event;
    } else {
      alive.erase(event.address);
    }
  }
  LiveBlocks blocks;
  blocks.net_per_step = static_cast<double>(net) / c.step_count();
  const model::MemoryEvent* largest = nullptr;
  for (const auto& [address, event] : alive) {
    const bool larger = largest == nullptr || event->bytes > largest->bytes ||
                        (event->bytes == largest->bytes && event->time_ns < largest->time_ns);
    if (larger) largest = event;
  }
  if (largest != nullptr) {
    blocks.largest_kept_bytes = largest->bytes;
    if (largest->thread != model::kNone)
      blocks.largest_kept_row = analysis::InnermostAt(c.trace, largest->thread, largest->time_ns);
  }
  return blocks;
}

}  // namespace warpscope::rules
