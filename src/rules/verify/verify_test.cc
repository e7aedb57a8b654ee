#include "rules/verify/verify.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/testing/trace_builder.h"

namespace warpscope::rules {
namespace {

using model::testing::TraceBuilder;

// Steps of `launches` short kernels, each behind `period_ns` of host time.
void AddSteps(TraceBuilder& builder, int launches, int64_t period_ns) {
  for (int step = 0; step < 6; ++step) {
    const int64_t begin = step * launches * period_ns;
    builder.AddAnnotation("ProfilerStep#" + std::to_string(step), begin, launches * period_ns);
    for (int i = 0; i < launches; ++i)
      builder.Launch("small_kernel", begin + i * period_ns, 4'000, begin + i * period_ns + 6'000, 2'000);
  }
}

Verification Check(TraceBuilder& before, TraceBuilder& after) {
  auto result = Verify(before.Finish(), {}, after.Finish(), {});
  EXPECT_TRUE(result.ok()) << result.status().message();
  return std::move(result).value();
}

TEST(Verify, TheSameRecordingShowsNoGainAndNothingFixed) {
  TraceBuilder before, after;
  AddSteps(before, 100, 20'000);
  AddSteps(after, 100, 20'000);
  const Verification v = Check(before, after);
  EXPECT_NEAR(v.measured_gain_pct, 0, 0.1);
  ASSERT_FALSE(v.findings.empty());
  for (const VerifiedFinding& finding : v.findings) EXPECT_NE(finding.fate, Fate::kFixed) << finding.before.id;
  EXPECT_FALSE(v.predicted);
  EXPECT_TRUE(v.doubts.empty());
  ASSERT_TRUE(v.next);
  EXPECT_EQ(v.next->id, v.findings.front().before.id);
}

TEST(Verify, AShorterStepIsAGainAndALongerOneALoss) {
  TraceBuilder slow, fast, slow_again, fast_again;
  AddSteps(slow, 100, 20'000);
  AddSteps(fast, 50, 20'000);
  AddSteps(slow_again, 100, 20'000);
  AddSteps(fast_again, 50, 20'000);
  EXPECT_NEAR(Check(slow, fast).measured_gain_pct, 50, 5);
  EXPECT_NEAR(Check(fast_again, slow_again).measured_gain_pct, -100, 10);
}

TEST(Verify, FewStepsAreADoubt) {
  TraceBuilder before, after;
  AddSteps(before, 100, 20'000);
  after.AddAnnotation("ProfilerStep#1", 0, 100'000);
  after.Launch("small_kernel", 0, 4'000, 6'000, 2'000);
  after.Launch("small_kernel", 50'000, 4'000, 56'000, 2'000);
  const Verification v = Check(before, after);
  EXPECT_FALSE(v.objections.empty());
}

// The launches are no cause any more, but the kernels take the time that they left.
TEST(Verify, APromisedGainThatDidNotComeIsSetAgainstWhatGrew) {
  TraceBuilder before, after;
  AddSteps(before, 100, 20'000);
  for (int step = 0; step < 6; ++step) {
    const int64_t begin = step * 2'000'000;
    after.AddAnnotation("ProfilerStep#" + std::to_string(step), begin, 2'000'000);
    for (int i = 0; i < 100; ++i)
      after.Launch("small_kernel", begin + i * 5'000, 4'000, begin + 6'000 + i * 19'900, 19'900);
  }
  const Verification v = Check(before, after);
  ASSERT_TRUE(v.comparable);
  ASSERT_TRUE(v.predicted);
  EXPECT_GT(v.predicted->low_pct, v.measured_gain_pct);
  ASSERT_TRUE(v.diff);
  const auto grown = std::max_element(v.diff->causes.begin(), v.diff->causes.end(),
                                      [](const auto& x, const auto& y) { return x.diff_ms < y.diff_ms; });
  EXPECT_EQ(grown->kind, analysis::CauseKind::kKernelSpeed);
  EXPECT_NEAR(grown->diff_ms, 1.79, 0.1);
}

TEST(Verify, RunsThatAreNotComparableFixNothing) {
  TraceBuilder before, after;
  AddSteps(before, 100, 20'000);
  // No marks, and nothing repeats: a whole recording would be held against one step.
  for (int i = 0; i < 5; ++i)
    after.Launch("small_kernel_" + std::string(static_cast<size_t>(i + 1), 'x'), i * 50'000, 4'000, i * 50'000 + 6'000,
                 (i + 1) * 3'000);
  const model::Trace &first = before.Finish(), &second = after.Finish();
  auto v = Verify(first, {}, second, {});
  ASSERT_TRUE(v.ok());
  EXPECT_FALSE(v->comparable);
  EXPECT_FALSE(v->objections.empty());
  EXPECT_FALSE(v->word);
  ASSERT_FALSE(v->findings.empty());
  for (const VerifiedFinding& finding : v->findings) EXPECT_EQ(finding.fate, Fate::kNotJudged);
  auto forced = Verify(first, {}, second, {}, {.force = true});
  ASSERT_TRUE(forced.ok());
  EXPECT_TRUE(forced->comparable);
  EXPECT_TRUE(forced->word);
}

// A fix may replace every kernel: what `diff` calls another program is a doubt of a verification.
TEST(Verify, OtherKernelsAreADoubtAndRefuseNothing) {
  TraceBuilder before, after;
  AddSteps(before, 100, 20'000);
  for (int step = 0; step < 6; ++step) {
    const int64_t begin = step * 300'000;
    after.AddAnnotation("ProfilerStep#" + std::to_string(step), begin, 300'000);
    after.Launch("sm90_gemm_of_all", begin, 4'000, begin + 6'000, 290'000);
  }
  const Verification v = Check(before, after);
  EXPECT_TRUE(v.comparable);
  ASSERT_EQ(v.objections.size(), 1U);
  EXPECT_EQ(v.objections[0].text.find("another program"), 0U);
  EXPECT_EQ(v.word, analysis::ChangeWord::kFaster);
}

// Without host rows nothing can be replayed, but the steps were recorded.
TEST(Verify, StepsThatCannotBeReplayedAreComparedAsRecorded) {
  TraceBuilder before, after;
  for (int step = 0; step < 12; ++step) {
    for (TraceBuilder* builder : {&before, &after}) {
      const int64_t long_ns = builder == &before ? 90'000 : 40'000, begin = step * (long_ns + 10'000);
      builder->AddKernel("gemm", begin, long_ns);
      builder->AddKernel("relu", begin + long_ns + 1'000, 8'000);
    }
  }
  const model::Trace &first = before.Finish(), &second = after.Finish();
  EXPECT_FALSE(Analyze(first).value().base_step_ms);
  auto v = Verify(first, {}, second, {});
  ASSERT_TRUE(v.ok()) << v.status().message();
  EXPECT_NEAR(v->before_ms, 0.1, 1e-3);
  EXPECT_NEAR(v->after_ms, 0.05, 1e-3);
  EXPECT_EQ(v->word, analysis::ChangeWord::kFaster);
}

TEST(Verify, ARecordingWithoutStepsCannotBeCompared) {
  TraceBuilder before, after;
  AddSteps(before, 100, 20'000);
  after.AddKernel("alone", 0, 1'000);
  EXPECT_FALSE(Verify(before.Finish(), {}, after.Finish(), {}).ok());
}

}  // namespace
}  // namespace warpscope::rules
