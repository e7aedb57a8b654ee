// Waits for room on the device: a unit that was ready on an idle stream but started only when one of another stream
// ended. The device was full; in the replay the order stays.
#include <algorithm>
#include <tuple>

#include "analysis/replay/build.h"

namespace warpscope::analysis::replay {
namespace {

constexpr int64_t kLateNs = 10'000;  // a start later than its constraints by this is unexplained
constexpr int64_t kFollowNs = 15'000;
constexpr int64_t kClockNoiseNs = 1'000;
constexpr int kMaxLooked = 16;  // units that end next, looked at

struct Ended {
  uint32_t device;
  int64_t end;
  uint32_t unit;
  bool operator<(const Ended& other) const {
    return std::tie(device, end, unit) < std::tie(other.device, other.end, other.unit);
  }
};

class RoomFinder {
 public:
  explicit RoomFinder(Draft& draft) : draft_(draft), explained_(draft.units.size(), INT64_MIN) {
    for (uint32_t u = 0; u < draft.units.size(); ++u) {
      ended_.push_back({Device(draft.units[u]), draft.units[u].end, u});
    }
    std::sort(ended_.begin(), ended_.end());
    for (const auto& event : draft.events) {
      explained_[event.to] = std::max(explained_[event.to], draft.units[event.from].end);
    }
  }

  void Run() {
    for (const auto& units : draft_.stream_units) {
      int64_t previous_end = INT64_MIN;
      for (const uint32_t u : units) {
        const Unit& unit = draft_.units[u];
        if (unit.call != kNoItem) Check(u, previous_end);
        previous_end = std::max(previous_end, unit.end);
      }
    }
  }

 private:
  uint32_t Device(const Unit& unit) const { return draft_.trace->streams[unit.stream].device; }

  void Check(uint32_t u, int64_t previous_end) {
    const Unit& unit = draft_.units[u];
    const Call& call = draft_.calls[unit.call];
    const int64_t lag = draft_.parameters.launch_lag_ns[static_cast<int>(unit.kind)];
    const int64_t explained = std::max({call.end + lag, previous_end, explained_[u]});
    if (call.blocks || unit.kind == UnitKind::kGraph || unit.start <= explained + kLateNs) return;
    if (!FollowsAnEnd(u)) StartsBesideAnother(u);
  }

  bool FollowsAnEnd(uint32_t u) {
    const Unit& unit = draft_.units[u];
    auto it = std::upper_bound(ended_.begin(), ended_.end(), Ended{Device(unit), unit.start + kClockNoiseNs, kNoItem});
    while (it != ended_.begin()) {
      --it;
      if (it->device != Device(unit) || it->end < unit.start - kFollowNs) return false;
      const Unit& before = draft_.units[it->unit];
      if (before.stream == unit.stream || before.start >= unit.start) continue;
      Add(it->unit, u);
      return true;
    }
    return false;
  }

  // A kernel that was about to end made room before it had: the distance to its end is kept.
  void StartsBesideAnother(uint32_t u) {
    const Unit& unit = draft_.units[u];
    auto it = std::upper_bound(ended_.begin(), ended_.end(), Ended{Device(unit), unit.start + kClockNoiseNs, kNoItem});
    for (int looked = 0; looked < kMaxLooked && it != ended_.end() && it->device == Device(unit); ++it, ++looked) {
      const Unit& beside = draft_.units[it->unit];
      if (beside.stream == unit.stream || beside.start >= unit.start || beside.kind != UnitKind::kKernel) continue;
      Add(it->unit, u);
      return;
    }
  }

  void Add(uint32_t from, uint32_t to) {
    const int64_t lag = draft_.units[to].start - draft_.units[from].end;
    draft_.events.push_back({from, to, kGuessed, true, lag, true});
  }

  Draft& draft_;
  std::vector<int64_t> explained_;  // end of what an event makes a unit wait for
  std::vector<Ended> ended_;
};

}  // namespace

void FindWaitsForRoom(Draft& draft) {
  if (draft.stream_units.size() > 1) RoomFinder(draft).Run();
}

}  // namespace warpscope::analysis::replay
