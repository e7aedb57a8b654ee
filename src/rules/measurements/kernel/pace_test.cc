// The model of a kernel's time: roofs, latency, what neither explains.
#include "rules/measurements/kernel/pace.h"

#include <gtest/gtest.h>

#include "rules/testing/profiles.h"

namespace warpscope::rules::testing {
namespace {

Pace PaceFrom(const MetricValues& metrics) {
  model::testing::TraceBuilder builder;
  AddProfile(builder.trace(), "k", model::testing::TraceBuilder::DefaultConfig(), 1000, metrics);
  const analysis::KernelCounters counters =
      analysis::CounterReader(builder.trace()).Read(builder.trace().kernel_profiles[0]);
  return PaceOf({counters, nullptr});
}

MetricValues Streaming() {
  return {{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 91},
          {"smsp__issue_active.avg.per_cycle_active", 0.08},
          {"smsp__inst_executed.sum", 3.1e7},
          {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 2.1e6},
          {StallMetric("long_scoreboard"), 145},
          {StallMetric("wait"), 2},
          {StallMetric("selected"), 1}};
}

TEST(Pace, NothingChangedTakesTheSameTime) {
  EXPECT_NEAR(*TimeRatio(PaceFrom(Streaming()), {}), 1, 1e-9);
  EXPECT_NEAR(*TimeRatio(PaceFrom(AtRoofMetrics()), {}), 1, 1e-9);
}

TEST(Pace, AKernelAtARoofGetsFasterOnlyWithLessWorkThere) {
  const Pace pace = PaceFrom(Streaming());
  Change less;
  less[Part::kDram] = 0.5;
  EXPECT_NEAR(*TimeRatio(pace, less), 0.58, 0.06);  // half the bytes, and the latency that shows then
  Change elsewhere;
  elsewhere.ScaleInstructions(0.1);
  EXPECT_GT(*TimeRatio(pace, elsewhere), 0.95);
  Change warps;
  warps.warps = 4;
  EXPECT_GT(*TimeRatio(pace, warps), 0.9);  // the queue is at the memory
}

TEST(Pace, AWaitingKernelGetsFasterWithWarpsUntilAUnitIsFull) {
  const Pace pace = PaceFrom(FewRegistersLeftMetrics());
  Change twice, many;
  twice.warps = 2;
  many.warps = 1000;
  EXPECT_NEAR(*TimeRatio(pace, twice), 0.5, 0.03);
  EXPECT_GT(*TimeRatio(pace, many), 0.02);
  EXPECT_LT(*TimeRatio(pace, many), 0.08);  // the L2's 5.5 %
}

TEST(Pace, IdleSmsAreGainedOnlyByEvenBlocks) {
  MetricValues half = With(AtRoofMetrics(), "sm__cycles_active.avg", 2'173'000);
  const Pace pace = PaceFrom(half);
  EXPECT_NEAR(pace.busy, 0.5, 0.01);
  Change evens;
  evens.evens = true;
  EXPECT_NEAR(*TimeRatio(pace, evens), 0.51, 0.03);
  EXPECT_NEAR(*TimeRatio(pace, {}), 1, 1e-9);
}

TEST(Pace, WhatTheCountersDoNotExplainPromisesNothing) {
  const Pace pace = PaceFrom({{"sm__throughput.avg.pct_of_peak_sustained_elapsed", 5}});
  EXPECT_FALSE(TimeRatio(pace, {}).has_value());
}

TEST(Pace, ABarrierWaitsForWhatTheOthersWaitFor) {
  Pace pace;
  pace.waits = {{"barrier", 50, 50}, {"mio_throttle", 40, 0}, {"wait", 10, 10}};
  EXPECT_DOUBLE_EQ(pace.Alone(), 10 + 50 * 10.0 / 50);
  EXPECT_DOUBLE_EQ(pace.Alone("barrier", 0), 10);
  EXPECT_DOUBLE_EQ(pace.Alone("wait", 0), 0);
}

}  // namespace
}  // namespace warpscope::rules::testing
