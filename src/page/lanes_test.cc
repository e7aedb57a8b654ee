#include "page/lanes.h"

#include <gtest/gtest.h>

namespace warpscope::page {
namespace {

constexpr uint32_t kTop = UINT32_MAX;

TEST(Lanes, NestedSpansGoBelowTheirParent) {
  const std::vector<LaneSpan> spans = {{0, 100, kTop}, {10, 50, 0}, {20, 30, 1}, {60, 70, 0}, {100, 110, kTop}};
  EXPECT_EQ(AssignLanes(spans), (std::vector<uint16_t>{0, 1, 2, 1, 0}));
}

TEST(Lanes, OverlapsGetALaneOfTheirOwn) {
  const std::vector<LaneSpan> spans = {{0, 100, kTop}, {50, 150, kTop}, {60, 70, kTop}, {100, 120, kTop}};
  EXPECT_EQ(AssignLanes(spans), (std::vector<uint16_t>{0, 1, 2, 0}));
}

TEST(Lanes, MomentsDoNotPushEachOtherDown) {
  const std::vector<LaneSpan> spans = {{5, 5, kTop}, {5, 5, kTop}, {5, 9, kTop}};
  EXPECT_EQ(AssignLanes(spans), (std::vector<uint16_t>{0, 0, 0}));
}

TEST(Lanes, AStackWithoutEndIsCut) {
  std::vector<LaneSpan> spans;
  for (uint32_t i = 0; i < 2000; ++i) spans.push_back({i, 10000 - int64_t{i}, i == 0 ? kTop : i - 1});
  const auto lanes = AssignLanes(spans);
  EXPECT_EQ(lanes[kMaxLanes - 1], kMaxLanes - 1);
  EXPECT_EQ(lanes[kMaxLanes], kNoLane);
  EXPECT_EQ(lanes.back(), kNoLane);
}

}  // namespace
}  // namespace warpscope::page
