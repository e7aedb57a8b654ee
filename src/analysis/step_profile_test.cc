#include "analysis/step_profile.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::testing::TraceBuilder;

Steps WithDurations(std::vector<double> durations_ms) {
  Steps steps;
  steps.durations_ms = std::move(durations_ms);
  steps.steps.resize(steps.durations_ms.size());
  return steps;
}

TEST(SlowStepPeriod, FindsTheStallOfEveryEighthStep) {
  std::vector<double> durations(64, 100);
  for (size_t i = 7; i < durations.size(); i += 8) durations[i] = 3100;
  EXPECT_EQ(SlowStepPeriod(WithDurations(durations)), 8U);
}

TEST(SlowStepPeriod, IsAbsentForIrregularAndForEvenSteps) {
  EXPECT_FALSE(SlowStepPeriod(WithDurations(std::vector<double>(20, 5))).has_value());
  EXPECT_FALSE(SlowStepPeriod(WithDurations({5, 9, 5, 5, 9, 5, 5, 5, 5, 9, 5, 9, 5, 5, 5})).has_value());
  EXPECT_FALSE(SlowStepPeriod(WithDurations({})).has_value());
}

TEST(StepProfile, CountsWorkAndExplainsAnOutlierByItsIdleTime) {
  TraceBuilder builder;
  int64_t at = 0;
  for (int step = 0; step < 8; ++step) {
    const int64_t extra = step == 5 ? 4'000'000 : 0;
    builder.AddAnnotation("ProfilerStep#" + std::to_string(step), at, 1'000'000 + extra);
    if (extra > 0) builder.AddPython("<built-in function collect>", at + 1'000, extra);
    for (int i = 0; i < 10; ++i) {
      const int64_t call = at + extra + 10'000 + i * 80'000;
      builder.Launch("gemm", call, 5'000, call + 8'000, 60'000);
    }
    at += 1'000'000 + extra;
  }
  const Index index(builder.Finish());
  const Steps steps = FindSteps(index, 0);
  const GapSummary gaps = FindGaps(index, {}, &steps);
  const auto profiles = ProfileSteps(index, steps, &gaps);
  ASSERT_EQ(profiles.size(), 8U);
  EXPECT_EQ(profiles[5].launches, 10U);
  EXPECT_EQ(profiles[5].kernels, 10U);
  EXPECT_GT(profiles[5].idle_ns, profiles[4].idle_ns + 3'500'000);
  const auto outliers = ExplainOutliers(index, steps, profiles);
  ASSERT_EQ(outliers.size(), 1U);
  EXPECT_EQ(outliers[0].step, 5U);
  ASSERT_FALSE(outliers[0].excess.empty());
  EXPECT_EQ(outliers[0].excess[0].what, "idle: garbage collection");
  EXPECT_GT(outliers[0].excess[0].explains_pct, 80);
}

}  // namespace
}  // namespace warpscope::analysis
