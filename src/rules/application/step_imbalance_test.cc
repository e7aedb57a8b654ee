#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMs;
using testing::kUs;
using testing::Loop;

TEST(StepImbalance, FiresWhenEveryFourthStepHasLongerKernels) {
  Loop loop;
  loop.Steps(12, [&](int i) { loop.Kernels(20, i % 4 == 3 ? 900 * kUs : 200 * kUs).Sync(); });
  const Outcome outcome = testing::Evaluate("step_imbalance", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_GT(outcome.findings[0].predicted->gain_pct, 25);
}

// Whether the longer steps' work can be left out is not in the recording.
TEST(StepImbalance, TheGainIsABoundThatAUsualStepEnds) {
  Loop loop;
  loop.Steps(20, [&](int i) { loop.Kernels(1, i % 10 == 9 ? 100 * kMs : 980 * kUs).Sync(); });
  const Outcome outcome = testing::Evaluate("step_imbalance", loop.builder);
  ASSERT_EQ(outcome.findings.size(), 1U);
  const Finding& finding = outcome.findings[0];
  EXPECT_TRUE(finding.upper_bound);
  EXPECT_EQ(finding.confidence, Confidence::kLow);
  EXPECT_GE(finding.predicted->step_ms_after, 0.98);
  EXPECT_EQ(finding.predicted->low_pct, 0);
  EXPECT_GE(finding.predicted->high_pct, finding.predicted->gain_pct);
  EXPECT_LE(finding.predicted->high_pct, 100 * (1 - 0.98 / finding.predicted->step_ms_before));
}

TEST(StepImbalance, SilentWhenTheSlowStepsWait) {
  Loop loop;
  loop.Steps(12, [&](int i) { loop.Kernels(20, 200 * kUs).Sync().Work(i % 4 == 3 ? 12 * kMs : kMs); });
  testing::ExpectSilent(testing::Evaluate("step_imbalance", loop.builder));
}

// Gradients of four batches are added up before the weights are updated.
TEST(StepImbalance, SilentForTheUpdateAfterSeveralBatches) {
  const auto loop = [](const char* more) {
    Loop made;
    made.Steps(12, [&](int i) {
      made.Kernels(20, 200 * kUs);
      if (i % 4 == 3) made.Range(more, [&] { made.Kernels(10, 300 * kUs); });
      made.Sync();
    });
    return made;
  };
  Loop update = loop("Optimizer.step#AdamW.step"), evaluation = loop("evaluation");
  testing::ExpectSilent(testing::Evaluate("step_imbalance", update.builder));
  testing::ExpectFires(testing::Evaluate("step_imbalance", evaluation.builder));
}

TEST(StepImbalance, SilentForEqualSteps) {
  Loop loop;
  loop.Steps(12, [&](int) { loop.Kernels(20, 200 * kUs).Sync(); });
  testing::ExpectSilent(testing::Evaluate("step_imbalance", loop.builder));
}

TEST(StepImbalance, AbstainsWithoutHostRows) {
  model::testing::TraceBuilder builder;
  for (int i = 0; i < 20; ++i) builder.AddKernel("k", i * 100 * kUs, 50 * kUs);
  testing::ExpectAbstains(testing::Evaluate("step_imbalance", builder));
}

}  // namespace
}  // namespace warpscope::rules
