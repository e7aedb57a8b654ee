// Order that only a wait of the host keeps: device work that it waited for, before what it launched then on other
// streams. Without the wait that work would run beside it; whether it may, a recording does not tell.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/replay/build.h"

namespace warpscope::analysis::replay {
namespace {

constexpr size_t kMostPerUnit = 8;  // edges for each unit, on average: hundreds of streams may wait for each other

class OrderFinder {
 public:
  explicit OrderFinder(const Draft& draft) : draft_(draft) {
    for (const Draft::Event& event : draft.events) {
      if (!event.room) ordered_.insert({StreamOf(event.from), StreamOf(event.to)});
    }
  }

  std::vector<HostOrder> Run() {
    for (size_t i = 0; i < draft_.calls.size(); ++i) {
      const Call& call = draft_.calls[i];
      if (i > 0 && draft_.calls[i - 1].agent != call.agent) waited_.clear(), seen_.clear();
      for (uint32_t unit = call.unit_begin; unit < call.unit_end; ++unit) Launch(unit);
      if (!call.blocks && !call.targets.empty()) Wait(call);
    }
    return std::move(orders_);
  }

 private:
  struct Waited {
    uint32_t unit;
    size_t wait;  // count of waits
  };

  uint32_t StreamOf(uint32_t unit) const { return draft_.units[unit].stream; }

  void Wait(const Call& call) {
    ++waits_;
    for (const uint32_t unit : call.targets) waited_[StreamOf(unit)] = {unit, waits_};
  }

  // The first unit of its stream behind a wait; those behind it follow in the stream's order.
  void Launch(uint32_t unit) {
    const uint32_t stream = StreamOf(unit);
    size_t& seen = seen_[stream];
    if (seen == waits_) return;
    for (const auto& [other, waited] : waited_) {
      if (waited.wait <= seen || other == stream || ordered_.contains({other, stream})) continue;
      if (draft_.units[waited.unit].end > draft_.units[unit].start) continue;  // the clocks say otherwise
      if (orders_.size() < kMostPerUnit * draft_.units.size()) orders_.push_back({waited.unit, unit});
    }
    seen = waits_;
  }

  const Draft& draft_;
  std::set<std::pair<uint32_t, uint32_t>> ordered_;  // streams between which the program waits for events
  std::map<uint32_t, Waited> waited_;                // by stream: the last unit that this agent waited for
  std::map<uint32_t, size_t> seen_;                  // by stream: waits before its last unit
  size_t waits_ = 0;
  std::vector<HostOrder> orders_;
};

}  // namespace

std::vector<HostOrder> FindHostOrder(const Draft& draft) {
  if (draft.stream_units.size() < 2) return {};
  return OrderFinder(draft).Run();
}

}  // namespace warpscope::analysis::replay
