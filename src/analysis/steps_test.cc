#include "analysis/steps.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::testing::TraceBuilder;

constexpr int64_t kMs = 1'000'000;

TEST(Steps, AsynchronousStepsAreMeasuredOnTheDevice) {
  TraceBuilder b;
  // The host issues each step in 2 ms and runs ahead; the device takes 10 ms a step.
  for (int i = 0; i < 5; ++i) {
    b.AddAnnotation("ProfilerStep#" + std::to_string(i + 1), i * 2 * kMs, 2 * kMs);
    b.Launch("gemm", i * 2 * kMs + 100, 1000, (1 + 10 * i) * kMs, 10 * kMs);
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.source, StepSource::kProfilerStep);
  EXPECT_EQ(steps.steps.size(), 5U);
  EXPECT_EQ(steps.warmup_excluded, 0U);
  EXPECT_DOUBLE_EQ(steps.median_ms, 10);
  EXPECT_DOUBLE_EQ(steps.period_ms, 10);
  EXPECT_EQ(steps.window_end_ns, 51 * kMs);
}

TEST(Steps, DeviceWindowLeavesOutWhatTheRecorderHeldBack) {
  TraceBuilder b;
  for (int i = 0; i < 5; ++i) {
    b.AddAnnotation("ProfilerStep#" + std::to_string(i + 1), i * kMs, kMs);
    b.Launch("gemm", i * kMs, 5000, (40 + 10 * i) * kMs, 10 * kMs);  // the first starts 40 ms after its launch
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_NEAR(static_cast<double>(steps.device_end_ns - steps.device_begin_ns), 50e6, 0.2e6);
  EXPECT_EQ(steps.window_begin_ns, 0);
}

TEST(Steps, DeviceWindowHoldsAllIdleStretchesOfStepsWithoutMarkers) {
  TraceBuilder b;
  b.AddOp("load", 0, 78 * kMs);  // before the first launch, and before each
  for (int i = 0; i < 10; ++i) {
    const int64_t at = (80 + 85 * i) * kMs;
    for (int k = 0; k < 4; ++k)
      b.Launch("kernel" + std::to_string(k), at + k * kMs, 5000, at + k * kMs + 10000, kMs / 2);
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  ASSERT_EQ(steps.source, StepSource::kKernelSequence);
  EXPECT_DOUBLE_EQ(steps.period_ms, 85);
  const double per_step_ms = static_cast<double>(steps.device_end_ns - steps.device_begin_ns) / 1e6 / steps.counted();
  EXPECT_NEAR(per_step_ms, 85, 1);
}

// Begin and length are rounded each for itself: a step may seem to end after the next one began.
TEST(Steps, RoundingOfTimesLosesNoStep) {
  for (const std::string_view name : {"ProfilerStep#", "train step "}) {
    TraceBuilder b;
    constexpr int64_t kStep = 1'000'333;
    for (int i = 0; i < 20; ++i) {
      const int64_t over = i % 7 == 3 ? 1 : i % 7 == 5 ? 900 : -40;
      b.AddAnnotation(std::string(name) + std::to_string(i + 1), i * kStep, kStep + over);
      b.Launch("gemm", i * kStep + 100, 1000, i * kStep + 3000, kMs / 2);
    }
    const Steps steps = FindSteps(b.Finish(), 0);
    EXPECT_EQ(steps.steps.size(), 20U) << name;
    EXPECT_EQ(steps.counted(), 20U) << name;
  }
}

// A step marker inside another one is no step of its own, however short.
TEST(Steps, AStepWithoutItsMarkIsNotOfTheOneBefore) {
  TraceBuilder b;
  for (int i = 0; i < 8; ++i) {
    const int64_t at = i * 10 * kMs;
    if (i != 4) b.AddAnnotation("ProfilerStep#" + std::to_string(i), at, 10 * kMs);
    for (int k = 0; k < 10; ++k) b.Launch("k", at + k * kMs, 10, at + k * kMs + 50, kMs - 100);
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.source, StepSource::kProfilerStep);
  EXPECT_EQ(steps.whole(), 7U);
  EXPECT_NEAR(steps.period_ms, 10, 0.1);
  EXPECT_NEAR(steps.p90_ms, 10, 0.1);
  EXPECT_NEAR(steps.equivalents(), 8, 0.01);
}

TEST(Steps, NestedMarkersAreNoSteps) {
  TraceBuilder b;
  for (int i = 0; i < 5; ++i) {
    b.AddAnnotation("ProfilerStep#" + std::to_string(i + 1), i * kMs, kMs);
    b.AddAnnotation("ProfilerStep#" + std::to_string(100 + i), i * kMs + 10'000, 500);
    b.Launch("gemm", i * kMs + 100'000, 1000, i * kMs + 103'000, kMs / 2);
  }
  EXPECT_EQ(FindSteps(b.Finish(), 0).steps.size(), 5U);
}

TEST(Steps, CountOnlyLeavesStepsOut) {
  TraceBuilder b;
  int64_t at = 0;
  for (int i = 0; i < 6; ++i) {
    const int64_t length = i == 2 ? 300 * kMs : 10 * kMs;
    b.AddAnnotation("ProfilerStep#" + std::to_string(i), at, length);
    b.Launch("k", at + length - 3 * kMs, 5, at + length - 2 * kMs, kMs);
    at += length;
  }
  const Steps all = FindSteps(b.Finish(), 0);
  ASSERT_EQ(all.counted(), 6U);
  const Steps behind = CountOnly(all, 3, 6);
  EXPECT_EQ(behind.counted(), 3U);
  EXPECT_EQ(behind.warmup_excluded, 3U);
  EXPECT_DOUBLE_EQ(behind.median_ms, 10);
  EXPECT_DOUBLE_EQ(behind.period_ms, 10);
  EXPECT_EQ(behind.window_begin_ns, all.steps[3].begin_ns);
  EXPECT_EQ(behind.window_end_ns, all.window_end_ns);
  const Steps before = CountOnly(all, 0, 2);
  EXPECT_EQ(before.counted(), 2U);
  EXPECT_DOUBLE_EQ(before.period_ms, 10);
  EXPECT_EQ(before.device_end_ns, all.steps[2].begin_ns);
}

TEST(Steps, SlowFirstStepIsWarmup) {
  TraceBuilder b;
  int64_t at = 0;
  for (int i = 0; i < 6; ++i) {
    const int64_t length = i == 0 ? 300 * kMs : 10 * kMs;
    b.AddAnnotation("ProfilerStep#" + std::to_string(i), at, length);
    b.Launch("k", at + 10, 5, at + length - 2 * kMs, kMs);
    at += length;
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.warmup_excluded, 1U);
  EXPECT_TRUE(steps.steps[0].warmup);
  EXPECT_EQ(steps.counted(), 5U);
  EXPECT_EQ(steps.durations_ms.size(), 5U);
  EXPECT_DOUBLE_EQ(steps.period_ms, 10);
}

// Step lengths in ms, each with device work until shortly before its end.
Steps OfLengths(const std::vector<int64_t>& lengths_ms) {
  TraceBuilder b;
  int64_t at = 0;
  for (size_t i = 0; i < lengths_ms.size(); ++i) {
    const int64_t length = lengths_ms[i] * kMs;
    b.AddAnnotation("ProfilerStep#" + std::to_string(i), at, length);
    b.Launch("k", at + 10, 5, at + length - 2 * kMs, kMs);
    at += length;
  }
  return FindSteps(b.Finish(), 0);
}

TEST(Steps, ALongStartOfSlowStepsIsWarmup) {
  EXPECT_EQ(OfLengths({50, 50, 50, 50, 50, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}).warmup_excluded, 5U);
  EXPECT_EQ(OfLengths({90, 40, 60, 30, 20, 10, 10, 10, 10, 10}).warmup_excluded, 5U);  // half, before steady ones
}

// Its first step has no step before it, so that a pause there does not show.
TEST(Steps, AStartOfSlowStepsMayBeginWithAShortOne) {
  EXPECT_EQ(OfLengths({10, 50, 50, 50, 50, 50, 10, 10, 10, 10, 10, 10, 10, 10, 10}).warmup_excluded, 6U);
  EXPECT_EQ(OfLengths({100, 130, 130, 130, 100, 100, 100, 100, 100, 100, 100, 100}).warmup_excluded,
            4U);  // steady ones
  EXPECT_EQ(OfLengths({100, 130, 130, 130, 100, 100, 112, 100, 100, 115, 100, 100}).warmup_excluded, 0U);
  EXPECT_EQ(OfLengths({10, 50, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}).warmup_excluded, 2U);
  EXPECT_EQ(OfLengths({10, 50, 50, 10, 10, 10, 50, 10, 10, 50, 10, 10}).warmup_excluded, 0U);
}

TEST(Steps, SlowStepsThatComeBackAreNoWarmup) {
  const Steps steps = OfLengths({50, 50, 50, 50, 50, 10, 10, 10, 10, 10, 50, 50, 10, 10, 10});
  EXPECT_EQ(steps.warmup_excluded, 0U);
  // Nor is the half of a loop whose other half is uneven itself.
  EXPECT_LT(OfLengths({50, 50, 50, 50, 50, 10, 20, 10, 20, 30}).warmup_excluded, 5U);
}

TEST(Steps, OutliersAreMarkedAndStay) {
  TraceBuilder b;
  int64_t at = 0;
  for (int i = 0; i < 12; ++i) {
    const int64_t length = i == 7 ? 50 * kMs : 10 * kMs;
    b.AddAnnotation("ProfilerStep#" + std::to_string(i), at, length);
    b.Launch("k", at + length - 3 * kMs, 5, at + length - 2 * kMs, kMs);
    at += length;
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.warmup_excluded, 0U);
  for (size_t i = 0; i < steps.steps.size(); ++i) EXPECT_EQ(steps.steps[i].outlier, i == 7) << i;
}

TEST(Steps, ServersAreCutAtTheirRequestRanges) {
  TraceBuilder b;
  for (int i = 0; i < 4; ++i) {
    const int64_t at = i * 10 * kMs;
    b.AddAnnotation("execute_context_" + std::to_string(i) + "(0)_generation_16(16)", at, 8 * kMs);
    for (int layer = 0; layer < 3; ++layer) b.AddAnnotation("layer", at + layer * 2 * kMs, 2 * kMs);
    for (int k = 0; k < 6; ++k) b.Launch("k", at + k * kMs, 10, at + k * kMs + 50, 500000);
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.source, StepSource::kUserRange);
  EXPECT_EQ(steps.steps.size(), 4U);
  EXPECT_DOUBLE_EQ(steps.period_ms, 10);
}

// Ranges of NCCL in a format without domains.
TEST(Steps, RangesNamedLikeFunctionsOfLibrariesMarkNoSteps) {
  TraceBuilder b;
  for (int i = 0; i < 4; ++i) {
    const int64_t at = i * 10 * kMs;
    for (int k = 0; k < 3; ++k) {
      b.AddAnnotation("ncclAllReduce", at + k * 3 * kMs, kMs);
      b.Launch("reduce" + std::to_string(k), at + k * 3 * kMs + 10, 10, at + k * 3 * kMs + 50, kMs);
    }
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_NE(steps.source, StepSource::kUserRange);
  EXPECT_DOUBLE_EQ(steps.period_ms, 10);
}

TEST(Steps, PartsOfAStepBeginAtTheFirstPart) {
  TraceBuilder b;
  for (int i = 0; i < 4; ++i) {
    const int64_t at = i * 20 * kMs;
    b.AddAnnotation("forward", at, 3 * kMs).AddAnnotation("backward", at + 4 * kMs, 9 * kMs);
    b.AddAnnotation("Optimizer.step#SGD.step", at + 14 * kMs, 2 * kMs);
    b.Launch("f", at + 1000, 10, at + 2000, 500000);
    b.Launch("o", at + 15 * kMs, 10, at + 16 * kMs, 500000);
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  ASSERT_EQ(steps.steps.size(), 4U);
  EXPECT_EQ(steps.steps[0].label, "forward");
  EXPECT_DOUBLE_EQ(steps.period_ms, 20);
}

TEST(Steps, FoundFromTheRepeatingLaunchesAlone) {
  TraceBuilder b;
  int64_t at = 1000;
  const auto launch = [&](const std::string& name) {
    b.Launch(name, at, 10, at + 20, 50);
    at += 100;
  };
  launch("setup");
  for (int step = 0; step < 8; ++step) {
    launch("embed");
    for (int layer = 0; layer < 6; ++layer) {
      launch("gemm");
      launch("gelu");
    }
    if (step == 4) launch("log");
    launch("loss");
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.source, StepSource::kKernelSequence);
  EXPECT_EQ(steps.steps.size(), 8U);
  EXPECT_NEAR(steps.median_ms, 1400e-6, 1e-9);
}

TEST(Steps, SyncsOfTheRecorderDoNotHideSyncsOfTheLoop) {
  TraceBuilder b;
  int64_t at = 0;
  b.AddCall("cudaDeviceSynchronize", at, 10);  // the recorder starts
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < 30; ++i, at += 100) b.Launch(i % 2 == 0 ? "sin" : "mul", at + 20, 10, at + 40, 50);
    b.AddCall("cudaDeviceSynchronize", at, 50);
    at += 100;
  }
  b.AddCall("cudaDeviceSynchronize", at, 10);  // the recorder ends
  b.AddCall("cudaDeviceSynchronize", at + 20, 10);
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.source, StepSource::kKernelSequence);
  EXPECT_EQ(steps.steps.size(), 4U);
}

TEST(Steps, ABurstOfARareKernelClosesALoopOfFewLaunches) {
  TraceBuilder b;
  int64_t at = 0;
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < 300; ++i, at += 100)
      b.Launch(i % 3 == 0 ? "gemm" : i % 3 == 1 ? "relu" : "sum", at, 10, at + 20, 50);
    for (int i = 0; i < 2; ++i, at += 100) b.Launch("cat", at, 10, at + 20, 50);
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.source, StepSource::kKernelSequence);
  EXPECT_NEAR(steps.median_ms, 302 * 100e-6, 1e-9);
}

// Training that reads its loss every 20 steps, and waits for that alone.
TEST(Steps, AValueReadEveryFewStepsIsNoStep) {
  TraceBuilder b;
  int64_t at = 0;
  for (int step = 0; step < 80; ++step) {
    for (int i = 0; i < 18; ++i, at += 100) b.Launch(i % 2 == 0 ? "gemm" : "relu", at, 10, at + 20, 50);
    for (int i = 0; i < 2; ++i, at += 100) b.Launch("multi_tensor_apply_kernel<Sgd>", at, 10, at + 20, 50);
    if (step % 20 != 19) continue;
    b.AddCall("cudaStreamSynchronize", at, 50);
    at += 100;
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.source, StepSource::kKernelSequence);
  EXPECT_NEAR(steps.median_ms, 20 * 100e-6, 1e-9);
}

TEST(Steps, AFunctionNamedLikeAStepNeedsTwoCallsOnly) {
  TraceBuilder b;
  for (int i = 0; i < 2; ++i) {
    b.AddPython("train.py(7): train_step", i * 10 * kMs, 10 * kMs);
    for (int k = 0; k < 40; ++k)
      b.Launch(k % 2 == 0 ? "a" : "b", (i * 10 * 1000 + k * 200) * 1000, 10, (i * 10 * 1000 + k * 200 + 20) * 1000,
               50000);
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.source, StepSource::kUserRange);
  EXPECT_EQ(steps.steps.size(), 2U);
}

TEST(Steps, SampledFramesMarkNoSteps) {
  TraceBuilder b;
  b.trace().sources[0].sample_period_ns = 10 * kMs;
  for (int i = 0; i < 8; ++i) {
    b.AddPython("train.py(7): train_step", i * 10 * kMs, 9 * kMs);
    for (int k = 0; k < 40; ++k)
      b.Launch(k % 2 == 0 ? "a" : "b", (i * 10 * 1000 + k * 200) * 1000, 10, (i * 10 * 1000 + k * 200 + 20) * 1000,
               50000);
  }
  EXPECT_NE(FindSteps(b.Finish(), 0).source, StepSource::kUserRange);
}

TEST(Steps, APauseAfterTheLastDeviceWorkCounts) {
  TraceBuilder b;
  int64_t at = 0;
  for (int i = 0; i < 6; ++i) {
    const int64_t length = i % 3 == 2 ? 100 * kMs : 10 * kMs;  // every third step pauses at its end
    b.AddAnnotation("ProfilerStep#" + std::to_string(i), at, length);
    b.Launch("k", at + kMs, 5, at + 2 * kMs, kMs);
    at += length;
  }
  EXPECT_DOUBLE_EQ(FindSteps(b.Finish(), 0).period_ms, 46);  // steps 2 to 6: 230 ms
}

TEST(Steps, GraphReplaysAreSteps) {
  TraceBuilder b;
  for (int i = 0; i < 10; ++i) {
    const int64_t at = i * 1000;
    b.AddCall("cudaGraphLaunch", at, 50, 1000 + i);
    for (int k = 0; k < 5; ++k) b.AddKernel("node" + std::to_string(k % 2), at + 100 + k * 100, 90, 1000 + i);
  }
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.source, StepSource::kKernelSequence);
  EXPECT_EQ(steps.steps.size(), 10U);
  EXPECT_NEAR(steps.period_ms, 1e-3, 1e-9);
}

TEST(Steps, NothingRepeats) {
  TraceBuilder b;
  b.Launch("a", 0, 10, 100, 50);
  b.Launch("b", 200, 10, 300, 50);
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.source, StepSource::kWholeWindow);
  EXPECT_EQ(steps.steps.size(), 1U);
  EXPECT_DOUBLE_EQ(steps.period_ms, 350e-6);
}

// The same kernel, each time on another device, is no return of a step.
TEST(Steps, AKernelOnOtherDevicesDoesNotRepeat) {
  const auto source = [](bool one_device) {
    TraceBuilder b;
    for (int64_t i = 0; i < 50; ++i) {
      const uint32_t device = one_device || i == 0 ? 0 : b.AddDevice({});
      b.AddCall("cudaLaunchKernel", i * 1000, 10, 1000 + i);
      b.AddKernel("k", i * 1000 + 100, 50, 1000 + i, 7, device);
    }
    return FindSteps(b.Finish(), 0).source;
  };
  EXPECT_EQ(source(true), StepSource::kKernelSequence);
  EXPECT_EQ(source(false), StepSource::kWholeWindow);
}

TEST(Steps, EmptyTrace) {
  TraceBuilder b;
  const Steps steps = FindSteps(b.Finish(), 0);
  EXPECT_EQ(steps.steps.size(), 1U);
  EXPECT_DOUBLE_EQ(steps.period_ms, 0);
}

}  // namespace
}  // namespace warpscope::analysis
