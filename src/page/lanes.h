// Lanes: which depth of its track each span is drawn at, so that spans of one depth never overlap.
// [MT] Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace warpscope::page {

// Deeper spans have no lane: a page cannot show them, and a stack without end must not cost time without end.
inline constexpr uint16_t kMaxLanes = 512;
inline constexpr uint16_t kNoLane = UINT16_MAX;

struct LaneSpan {
  int64_t begin_ns, end_ns;  // end_ns >= begin_ns
  uint32_t parent;           // index of the span around it, which comes earlier; UINT32_MAX if none
};

// By index of `spans`, which are sorted by begin: below its parent, and there the first lane that is free. A span of a
// parent without lane has none.
std::vector<uint16_t> AssignLanes(std::span<const LaneSpan> spans);

}  // namespace warpscope::page
