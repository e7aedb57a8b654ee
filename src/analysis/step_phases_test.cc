#include "analysis/step_phases.h"

#include <gtest/gtest.h>

#include "analysis/steps.h"
#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::testing::TraceBuilder;

constexpr int64_t kUs = 1'000, kMs = 1'000'000;

TEST(StepPhases, StartUpIsWhatIsNeverLaunchedAgain) {
  const Stretch steady = SteadyStretch({1, 2, 1, 2, 3, 4, 3, 4, 3, 4}, {1, 1, 1, 1, 10, 10, 10, 10, 10, 10});
  EXPECT_EQ(steady.begin, 5U);  // from the first 4 on
  EXPECT_EQ(steady.end, 10U);
}

TEST(StepPhases, WithoutMostOfTheWorkThereIsNoSteadyPart) {
  EXPECT_EQ(SteadyStretch({1, 2, 3, 4}, {10, 10, 10, 10}).size(), 0U);
  EXPECT_EQ(SteadyStretch({}, {}).size(), 0U);
}

TEST(StepPhases, ARunEndsWhereAnotherPhaseLies) {
  std::vector<uint32_t> at;
  for (uint32_t i = 0; i < 10; ++i) at.push_back(10 * i);
  for (uint32_t i = 0; i < 6; ++i) at.push_back(500 + 10 * i);
  const Stretch run = LongestRun(at);
  EXPECT_EQ(run.begin, 0U);
  EXPECT_EQ(run.end, 10U);
}

TEST(StepPhases, ShortRunsAreNotCutOut) {
  std::vector<uint32_t> at;
  for (uint32_t epoch = 0; epoch < 5; ++epoch) {
    for (uint32_t i = 0; i < 3; ++i) at.push_back(100 * epoch + 5 * i);
  }
  EXPECT_EQ(LongestRun(at).size(), at.size());
}

// A whole process: parameters are copied, a warm-up runs eagerly, a graph is captured, then steps replay it.
TEST(StepPhases, StepsOfAWholeProcessLeaveStartUpOut) {
  TraceBuilder b;
  int64_t at = 0;
  for (int i = 0; i < 60; ++i, at += 100 * kUs) b.Launch("upload", at, 5 * kUs, at + 6 * kUs, kUs);
  for (int i = 0; i < 90; ++i, at += 50 * kUs)
    b.Launch(i % 2 == 0 ? "gemm" : "relu", at, 5 * kUs, at + 6 * kUs, 8 * kUs);
  at += 300 * kMs;  // the capture, and what else a start takes
  const int64_t first = at;
  uint64_t correlation = 1 << 20;
  for (int step = 0; step < 6; ++step) {
    for (int replay = 0; replay < 5; ++replay, ++correlation) {
      b.AddCall("cudaGraphLaunch", at, 8 * kUs, correlation);
      for (int k = 0; k < 40; ++k)
        b.AddKernel(k % 2 == 0 ? "gemm" : "relu", at + (10 + 9 * k) * kUs, 8 * kUs, correlation);
      at += 400 * kUs;
    }
    b.AddCall("cudaDeviceSynchronize", at, 100 * kUs);
    at += 110 * kUs;
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.source, StepSource::kKernelSequence);
  EXPECT_EQ(steps.counted(), 6U);
  EXPECT_NEAR(steps.median_ms, 2.11, 0.01);
  EXPECT_EQ(steps.window_begin_ns, first);
  EXPECT_EQ(steps.before_ns(), first);
  EXPECT_LT(steps.after_ns(), kMs);
}

// Twelve steps of training, an evaluation of many smaller steps, twelve of training again.
TEST(StepPhases, AnEvaluationIsNoStepOfTraining) {
  TraceBuilder b;
  int64_t at = 0;
  const auto kernels = [&](int count, const std::string& prefix) {
    for (int i = 0; i < count; ++i, at += 100 * kUs)
      b.Launch(prefix + std::to_string(i), at, 5 * kUs, at + 10 * kUs, 90 * kUs);
  };
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (int step = 0; step < 12; ++step) {
      kernels(10, "forward");
      kernels(20, "backward");
    }
    if (epoch == 0) {
      for (int step = 0; step < 10; ++step) kernels(10, "forward");
    }
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.source, StepSource::kKernelSequence);
  EXPECT_NEAR(steps.period_ms, 3, 0.01);
  EXPECT_NEAR(steps.p90_ms, 3, 0.01);
  EXPECT_GE(steps.counted(), 10U);
}

}  // namespace
}  // namespace warpscope::analysis
