#include "import/step_pauses.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::import {
namespace {

constexpr int64_t kMs = 1'000'000;

model::testing::TraceBuilder Steps(int64_t first, int64_t count, int64_t at_ms, model::testing::TraceBuilder b = {}) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = (at_ms + 10 * i) * kMs;
    b.AddAnnotation("ProfilerStep#" + std::to_string(first + i), at, 10 * kMs);
    b.Launch("k", at + 1000, 5000, at + 10'000, 9 * kMs);
  }
  return b;
}

TEST(StepPauses, NothingRecordedBetweenTwoWindowsIsAPause) {
  auto b = Steps(5, 4, 1000, Steps(0, 4, 0));
  AddStepPauses(&b.trace());
  ASSERT_EQ(b.trace().pauses.size(), 1U);
  EXPECT_EQ(b.trace().pauses[0].begin_ns, 40 * kMs);
  EXPECT_EQ(b.trace().pauses[0].end_ns, 1000 * kMs);
}

TEST(StepPauses, AStepWithoutItsMarkIsNone) {
  auto b = Steps(5, 4, 50, Steps(0, 4, 0));
  b.Launch("k", 40 * kMs + 1000, 5000, 40 * kMs + 10'000, 9 * kMs);
  AddStepPauses(&b.trace());
  EXPECT_TRUE(b.trace().pauses.empty());
}

TEST(StepPauses, MarksInARowHaveNone) {
  auto b = Steps(0, 8, 0);
  AddStepPauses(&b.trace());
  EXPECT_TRUE(b.trace().pauses.empty());
}

}  // namespace
}  // namespace warpscope::import
