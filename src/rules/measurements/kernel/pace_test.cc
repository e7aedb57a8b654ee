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

// A kernel of many short blocks: a load, then long arithmetic that hides it.
MetricValues ShortBlocks() {
  return {{"gpu__time_duration.sum", 460'000},
          {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 12},
          {"smsp__issue_active.avg.per_cycle_active", 0.73},
          {"smsp__inst_executed.sum", 168 * 2'097'152.0},
          {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 2'097'152},
          {"smsp__warps_active.avg.per_cycle_active", 14.4},
          {"sm__warps_active.avg.pct_of_peak_sustained_active", 90},
          {"sm__maximum_warps_per_active_cycle_pct", 100},
          {"launch__waves_per_multiprocessor", 248},
          {"launch__grid_size", 262'144},
          {"launch__block_size", 256},
          {"launch__sm_count", 132},
          {"sm__cycles_active.avg", 908'000},
          {"gpc__cycles_elapsed.max", 914'000},
          {StallMetric("not_selected"), 12},
          {StallMetric("wait"), 1.2},
          {StallMetric("selected"), 1}};
}

TEST(Pace, WhatArithmeticHidesStaysWithoutIt) {
  const Pace pace = PaceFrom(ShortBlocks());
  // Places live for 14.4 x 908,000 / 3,972 = 3,292 cycles, and are empty for 366 more: the next block's start.
  EXPECT_NEAR(pace.start, 366.0 / 3658, 0.001);
  EXPECT_NEAR(pace.load, 680.0 / 3658, 0.001);
  EXPECT_NEAR(pace.ramp, 2.0 / 460, 0.001);
  Change none;  // hardly an instruction is left
  none.ScaleInstructions(0.01);
  none.latency = 0.01;
  EXPECT_GT(*TimeRatio(pace, none), (366 + 680) / 3658.0);
  EXPECT_LT(*TimeRatio(pace, none), 0.4);
  // Without loads only the blocks' start is left.
  const Pace no_loads = PaceFrom(Without(ShortBlocks(), "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"));
  EXPECT_EQ(no_loads.load, 0);
  EXPECT_LT(*TimeRatio(no_loads, none), *TimeRatio(pace, none));
}

TEST(Pace, OneWaveTakesNoPlaceTwice) {
  EXPECT_EQ(PaceFrom(With(ShortBlocks(), "launch__waves_per_multiprocessor", 1)).start, 0);
}

TEST(Pace, ALaunchTakesItsRamp) {
  // Of 10 us the 2 us of the ramp stay.
  const Pace pace = PaceFrom(With(AtRoofMetrics(), "gpu__time_duration.sum", 10'000));
  Change none;
  none.ScaleInstructions(0.001);
  none.latency = 0.001;
  EXPECT_NEAR(*TimeRatio(pace, none), 0.2, 0.01);
}

TEST(Pace, TheCyclesAreThoseOfTheDurationsPass) {
  // Uneven blocks: the pass of the SMs' cycles took 420,000, that of the duration 700,000.
  MetricValues metrics = With(AtRoofMetrics(), "sm__cycles_active.avg", 140'000);
  metrics = With(With(metrics, "sm__cycles_active.max", 418'000), "sm__cycles_elapsed.max", 420'000);
  metrics = With(metrics, "gpc__cycles_elapsed.max", 700'000);
  EXPECT_NEAR(PaceFrom(metrics).busy, 0.2, 1e-6);
}

TEST(Pace, StagesNearATieTakeLongerThanEach) {
  Pace pace;
  pace.warps = 8;
  pace.use[static_cast<size_t>(Part::kFma)] = pace.use[static_cast<size_t>(Part::kL1)] = 0.98 * 0.79;
  // 2^(1/3) of each; parts of one stage work at once.
  EXPECT_NEAR(TimeShare(pace, {}), 0.79 * 1.26, 0.01);
  pace.use[static_cast<size_t>(Part::kIssue)] = 0.98 * 0.79;
  EXPECT_NEAR(TimeShare(pace, {}), 0.79 * 1.26, 0.01);
  pace.warps = 1;  // queues behind none
  EXPECT_NEAR(TimeShare(pace, {}), 0.79, 1e-6);
}

}  // namespace
}  // namespace warpscope::rules::testing
