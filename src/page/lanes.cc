#include "page/lanes.h"

namespace warpscope::page {

std::vector<uint16_t> AssignLanes(std::span<const LaneSpan> spans) {
  std::vector<uint16_t> lanes(spans.size(), kNoLane);
  std::vector<int64_t> busy_until;  // by lane
  for (size_t i = 0; i < spans.size(); ++i) {
    const LaneSpan& span = spans[i];
    size_t lane = 0;
    if (span.parent != UINT32_MAX) {
      if (lanes[span.parent] == kNoLane) continue;
      lane = lanes[span.parent] + size_t{1};
    }
    while (lane < busy_until.size() && busy_until[lane] > span.begin_ns) ++lane;
    if (lane >= kMaxLanes) continue;
    if (lane >= busy_until.size()) busy_until.resize(lane + 1, INT64_MIN);
    busy_until[lane] = span.end_ns;
    lanes[i] = static_cast<uint16_t>(lane);
  }
  return lanes;
}

}  // namespace warpscope::page
