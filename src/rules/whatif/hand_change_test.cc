#include "rules/whatif/hand_change.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"
#include "rules/whatif/what_if.h"

namespace warpscope::rules {
namespace {

using model::testing::TraceBuilder;

TEST(HandChange, ScaleNamesATargetAPatternAndARatio) {
  auto change = ParseScale("kernel:gemm=[0-9]+=0.5");
  ASSERT_TRUE(change.ok());
  EXPECT_EQ(change->target, HandTarget::kKernel);
  EXPECT_EQ(change->pattern, "gemm=[0-9]+");
  EXPECT_DOUBLE_EQ(change->ratio, 0.5);
}

TEST(HandChange, WhatCannotBeMeantIsRefused) {
  for (const char* text : {"kernel:a", "kernel:=0.5", "gemm=0.5", "kernel:a=-1", "kernel:a=1e9", "kernel:a=half",
                           "kernel:(=0.5", "cause:host_sync=0.5", "wait:Sync=0.5", "kernel:a=nan"})
    EXPECT_FALSE(ParseScale(text).ok()) << text;
  for (const char* text : {"", "kernel", "cause:", "stream:7"}) EXPECT_FALSE(ParseDrop(text).ok()) << text;
  EXPECT_FALSE(ParseOverlap("kernel:a").ok());
  EXPECT_TRUE(ParseOverlap("copies").ok());
  EXPECT_TRUE(ParseDrop("cause:host_sync").ok());
}

// Steps of 10 operators, each of 20 us of host time that launches a kernel of 2 us: the host sets the pace.
void AddHostBoundSteps(TraceBuilder& builder) {
  for (int step = 0; step < 6; ++step) {
    const int64_t begin = step * 200'000;
    builder.AddAnnotation("ProfilerStep#" + std::to_string(step), begin, 200'000);
    for (int i = 0; i < 10; ++i) {
      const int64_t at = begin + i * 20'000;
      builder.AddOp("aten::slow", at, 19'000);
      builder.Launch("small_kernel", at + 5'000, 4'000, at + 12'000, 2'000);
    }
  }
}

WhatIfReport Try(TraceBuilder& builder, Result<HandChange> change) {
  auto report = TryChanges(builder.Finish(), {}, {std::move(change).value()});
  EXPECT_TRUE(report.ok()) << report.status().message();
  return std::move(report).value();
}

TEST(HandChange, FasterKernelsGainNothingWhereTheHostSetsThePace) {
  TraceBuilder builder;
  AddHostBoundSteps(builder);
  const WhatIfReport report = Try(builder, ParseScale("kernel:small=0.1"));
  EXPECT_GT(*report.outcomes[0].most_pct, 5);
  EXPECT_LT(report.outcomes[0].predicted->gain_pct, 2);
}

// Work that is made shorter gives the step no more than its own time, however doubtful the rest of the replay is.
TEST(HandChange, AnIntervalKeepsWithinWhatTheRowsTake) {
  TraceBuilder builder;
  AddHostBoundSteps(builder);
  const std::vector<HandChange> both = {ParseScale("kernel:small=0.9").value(),
                                        ParseScale("op:aten::slow=0.99").value()};
  auto report = TryChanges(builder.Finish(), {}, both);
  ASSERT_TRUE(report.ok()) << report.status().message();
  const HandOutcome& kernel = report->outcomes[0];
  ASSERT_TRUE(kernel.bound_pct);
  EXPECT_NEAR(*kernel.bound_pct, *kernel.most_pct, 0.01);
  EXPECT_LE(kernel.predicted->high_pct, *kernel.most_pct + 1e-9);
  EXPECT_GE(kernel.predicted->high_pct, kernel.predicted->gain_pct);
  ASSERT_TRUE(report->together);
  EXPECT_LE(report->together->high_pct, *kernel.bound_pct + *report->outcomes[1].bound_pct + 1e-9);
}

TEST(HandChange, WhatIsGoneTakesItsDependenciesAlongAndHasNoBound) {
  TraceBuilder builder;
  AddHostBoundSteps(builder);
  EXPECT_FALSE(Try(builder, ParseDrop("kernel:small")).outcomes[0].bound_pct);
}

TEST(HandChange, AKindOfKernelsWhereNoneIsSoNamed) {
  TraceBuilder builder;
  for (int step = 0; step < 4; ++step) {
    builder.AddAnnotation("ProfilerStep#" + std::to_string(step), step * 100'000, 100'000);
    builder.Launch("nvjet_sm90_tst_256x128_64x4", step * 100'000 + 1'000, 4'000, step * 100'000 + 8'000, 90'000);
  }
  const WhatIfReport report = Try(builder, ParseScale("kernel:gemm=0.5"));
  EXPECT_GT(*report.outcomes[0].most_pct, 30);
}

TEST(HandChange, FasterHostWorkGainsItsShare) {
  TraceBuilder builder;
  AddHostBoundSteps(builder);
  const WhatIfReport report = Try(builder, ParseScale("op:aten::slow=0.5"));
  EXPECT_NEAR(report.outcomes[0].predicted->gain_pct, 47, 10);
  EXPECT_LE(report.outcomes[0].predicted->low_pct, report.outcomes[0].predicted->gain_pct);
}

TEST(HandChange, NamesThatAreNotThereAreSaid) {
  TraceBuilder builder;
  AddHostBoundSteps(builder);
  auto change = ParseScale("kernel:gemm=0.5");
  const auto report = TryChanges(builder.Finish(), {}, {*change});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.status().code(), StatusCode::kNotFound);
}

TEST(HandChange, RowsInsideAMatchingRowCountOnce) {
  TraceBuilder builder;
  AddHostBoundSteps(builder);
  const WhatIfReport report = Try(builder, ParseScale("host:.=0.5"));
  EXPECT_LE(*report.outcomes[0].share_pct, 100);
}

}  // namespace
}  // namespace warpscope::rules
