#include "analysis/memory_usage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::kNone;
using model::testing::TraceBuilder;

constexpr double kMiB = 1024.0 * 1024.0;

Steps StepsOf(const std::vector<std::pair<int64_t, int64_t>>& windows, uint32_t warmup = 0) {
  Steps steps;
  for (size_t i = 0; i < windows.size(); ++i) {
    Step step;
    step.begin_ns = windows[i].first;
    step.end_ns = windows[i].second;
    step.warmup = i < warmup;
    steps.steps.push_back(step);
  }
  steps.warmup_excluded = warmup;
  return steps;
}

TEST(MemoryUsage, AbsoluteLevelsFromTotals) {
  TraceBuilder b;
  b.AddMemory(10, 100, 1, 0, 1100, 4000);
  b.AddMemory(20, 300, 2, 0, 1400, 4000);
  b.AddMemory(30, -100, 1, 0, 1300, 2600);
  const Index index(b.Finish());
  const MemoryUsage usage = SummarizeMemory(index);
  ASSERT_EQ(usage.devices.size(), 1U);
  const DeviceMemory& d = usage.devices[0];
  EXPECT_TRUE(d.absolute);
  EXPECT_EQ(d.events, 3U);
  EXPECT_EQ(d.allocations, 2U);
  EXPECT_EQ(d.frees, 1U);
  EXPECT_EQ(d.allocated_bytes_total, 400);
  EXPECT_EQ(d.start_allocated_bytes, 1000);
  EXPECT_EQ(d.end_allocated_bytes, 1300);
  EXPECT_EQ(d.peak_allocated_bytes, 1400);
  EXPECT_EQ(d.peak_time_ns, 20);
  EXPECT_EQ(d.peak_reserved_bytes, 4000);
  EXPECT_EQ(d.unused_reserved_bytes, 2600);
  EXPECT_DOUBLE_EQ(*d.unused_reserved_pct, 65.0);
}

TEST(MemoryUsage, RelativeLevelsAreMeasuredFromTheWindow) {
  TraceBuilder b;
  b.AddMemory(10, 100, 1);
  b.AddMemory(20, 50, 2);
  b.AddMemory(30, -150, 1);
  const Index index(b.Finish());
  Scope scope;
  scope.window = {15, 40};
  const DeviceMemory d = SummarizeMemory(index, scope).devices.at(0);
  EXPECT_FALSE(d.absolute);
  EXPECT_EQ(d.events, 2U);
  EXPECT_EQ(d.start_allocated_bytes, 0);
  EXPECT_EQ(d.peak_allocated_bytes, 50);
  EXPECT_EQ(d.end_allocated_bytes, -100);
  EXPECT_FALSE(d.peak_reserved_bytes);
  EXPECT_FALSE(d.unused_reserved_pct);
}

TEST(MemoryUsage, TotalsThatStartLateAreCountedBack) {
  TraceBuilder b;
  b.AddMemory(10, 100, 1);
  b.AddMemory(20, 50, 2, 0, 1150, 2000);
  const DeviceMemory d = SummarizeMemory(Index(b.Finish())).devices.at(0);
  EXPECT_TRUE(d.absolute);
  EXPECT_EQ(d.start_allocated_bytes, 1000);
  EXPECT_EQ(d.end_allocated_bytes, 1150);
}

TEST(MemoryUsage, HostComesLastAndHasNoReservedMemory) {
  TraceBuilder b;
  b.AddMemory(5, 8, 1, kNone, 8, 0);
  b.AddMemory(10, 100, 1, 0, 100, 200);
  const MemoryUsage usage = SummarizeMemory(Index(b.Finish()));
  ASSERT_EQ(usage.devices.size(), 2U);
  EXPECT_EQ(usage.devices[0].device, 0U);
  EXPECT_EQ(usage.devices[1].device, kNone);
  EXPECT_FALSE(usage.devices[1].peak_reserved_bytes);
}

TEST(MemoryUsage, TotalsOfTwoProcessesOnOneDeviceAdd) {
  TraceBuilder b;
  b.AddMemory(10, 100, 1, 0, 100, 200);
  b.AddProcess(200);
  b.UseThread(2);
  b.AddMemory(20, 30, 1, 0, 30, 50);
  const model::Trace& trace = b.Finish();
  const Index index(trace);
  EXPECT_EQ(SummarizeMemory(index).devices.at(0).peak_allocated_bytes, 130);
  EXPECT_EQ(SummarizeMemory(index).devices.at(0).peak_reserved_bytes, 250);
  Scope scope;
  scope.link_domain = 1;
  EXPECT_EQ(SummarizeMemory(index, scope).devices.at(0).peak_allocated_bytes, 30);
}

TEST(MemoryUsage, LevelsPerStepLeaveWarmupOut) {
  TraceBuilder b;
  b.device().memory_bytes = 64 << 20;
  int64_t level = 0;
  for (int step = 0; step < 5; ++step) {
    const int64_t t = step * 1000;
    level += 4 << 20;
    b.AddMemory(t + 100, 4 << 20, 1, 0, level);              // stays
    b.AddMemory(t + 200, 8 << 20, 2, 0, level + (8 << 20));  // comes and goes
    b.AddMemory(t + 300, -(8 << 20), 2, 0, level);
  }
  const Steps steps = StepsOf({{0, 1000}, {1000, 2000}, {2000, 3000}, {3000, 4000}, {4000, 5000}}, 1);
  const DeviceMemory d = SummarizeMemory(Index(b.Finish()), {}, &steps).devices.at(0);
  EXPECT_EQ(d.level_per_step_bytes, (std::vector<double>{4 * kMiB, 8 * kMiB, 12 * kMiB, 16 * kMiB}));
  EXPECT_EQ(d.peak_per_step_bytes, (std::vector<double>{16 * kMiB, 20 * kMiB, 24 * kMiB, 28 * kMiB}));
  EXPECT_EQ(d.growth.shape, GrowthShape::kRamp);
  EXPECT_DOUBLE_EQ(d.growth.bytes_per_step, 4 * kMiB);
  ASSERT_TRUE(d.growth.steps_to_full);
  EXPECT_DOUBLE_EQ(*d.growth.steps_to_full, 9.0);
}

TEST(MemoryUsage, StepsWithoutEventsKeepTheLevel) {
  TraceBuilder b;
  b.AddMemory(500, 10, 1, 0, 110);
  b.AddMemory(3500, 10, 1, 0, 120);
  const Steps steps = StepsOf({{0, 400}, {400, 1000}, {1000, 2000}, {2000, 3000}, {3000, 4000}, {4000, 5000}});
  const DeviceMemory d = SummarizeMemory(Index(b.Finish()), {}, &steps).devices.at(0);
  EXPECT_EQ(d.level_per_step_bytes, (std::vector<double>{100, 100, 110, 110, 110, 120}));
}

TEST(AllocatorChurn, CountsDriverCallsPerStep) {
  TraceBuilder b;
  b.AddCall("cudaMalloc", 100, 50);
  b.AddHost(model::HostKind::kDriverCall, "cuMemAlloc_v2", 110, 30);  // inside: the same allocation
  b.AddCall("cudaFree", 1100, 20);
  b.AddCall("cudaMalloc", 1200, 20);
  b.AddCall("cudaHostAlloc", 1300, 7);
  b.AddCall("cudaMallocAsync", 1400, 7);
  b.AddCall("cudaFree", 9000, 5);
  const Steps steps = StepsOf({{0, 1000}, {1000, 2000}, {2000, 3000}});
  const model::Trace& trace = b.Finish();
  const MemoryUsage usage = SummarizeMemory(Index(trace), {}, &steps);
  EXPECT_TRUE(usage.devices.empty());
  EXPECT_EQ(usage.churn.alloc_calls, 2U);
  EXPECT_EQ(usage.churn.free_calls, 2U);
  EXPECT_EQ(usage.churn.host_alloc_calls, 1U);
  EXPECT_EQ(usage.churn.alloc_ns, 70);
  EXPECT_EQ(usage.churn.free_ns, 25);
  EXPECT_EQ(usage.churn.host_alloc_ns, 7);
  EXPECT_DOUBLE_EQ(*usage.churn.calls_per_step, 1.0);
  EXPECT_EQ(usage.churn.steps_with_calls, 2U);
  EXPECT_EQ(trace.host.start_ns[usage.churn.first_row], 100);
  EXPECT_FALSE(SummarizeMemory(Index(trace)).churn.calls_per_step);
}

TEST(MemoryTimeline, ThinsButKeepsThePeak) {
  TraceBuilder b;
  int64_t level = 0;
  for (int i = 0; i < 1000; ++i) {
    const int64_t bytes = i == 617 ? 100000 : i == 618 ? -100000 : i % 2 == 0 ? 10 : -10;
    level += bytes;
    b.AddMemory(i, bytes, 1, 0, level);
  }
  const Index index(b.Finish());
  EXPECT_EQ(MemoryTimeline(index, 0).size(), 1000U);
  const auto points = MemoryTimeline(index, 0, {}, 50);
  EXPECT_LE(points.size(), 50U);
  int64_t peak = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    peak = std::max(peak, points[i].allocated_bytes);
    if (i > 0) {
      EXPECT_LT(points[i - 1].time_ns, points[i].time_ns);
    }
  }
  EXPECT_EQ(peak, SummarizeMemory(index).devices.at(0).peak_allocated_bytes);
  EXPECT_TRUE(MemoryTimeline(index, kNone).empty());
}

TEST(MemoryUsage, SurvivesAnyNumbers) {
  TraceBuilder b;
  b.AddMemory(1, INT64_MAX, 1);
  b.AddMemory(2, INT64_MAX, 1);
  b.AddMemory(3, INT64_MIN, 1, 0, INT64_MIN, INT64_MAX);
  b.AddMemory(4, INT64_MIN, 1, 0, INT64_MAX, INT64_MIN);
  b.AddMemory(5, INT64_MIN, 1, kNone);
  const Steps steps = StepsOf({{0, 2}, {2, 3}, {3, 4}, {4, 9}});
  const Index index(b.Finish());
  EXPECT_EQ(SummarizeMemory(index, {}, &steps).devices.size(), 2U);
  EXPECT_EQ(MemoryTimeline(index, 0, {}, 0).size(), 2U);
}

// ---- Shapes

std::vector<double> Make(size_t count, const std::function<double(size_t)>& level) {
  std::vector<double> out;
  for (size_t i = 0; i < count; ++i) out.push_back(level(i));
  return out;
}

TEST(Growth, LeakOfTwoThousandSteps) {
  const Growth g = JudgeGrowth(Make(2000, [](size_t i) { return (500 + 2.0 * i) * kMiB; }));
  EXPECT_EQ(g.shape, GrowthShape::kRamp);
  EXPECT_NEAR(g.bytes_per_step, 2 * kMiB, 1);
  EXPECT_NEAR(g.low_bytes_per_step, 2 * kMiB, 1);
  EXPECT_NEAR(g.high_bytes_per_step, 2 * kMiB, 1);
  EXPECT_DOUBLE_EQ(g.rising_ratio, 1.0);
}

TEST(Growth, ArenaThatLevelsOffIsNoLeak) {
  const auto level = [](size_t i) { return (500 + 400 * (1 - std::exp(-static_cast<double>(i) / 200))) * kMiB; };
  EXPECT_EQ(JudgeGrowth(Make(2000, level)).shape, GrowthShape::kPlateau);
  EXPECT_EQ(JudgeGrowth(Make(12, [](size_t i) { return (i < 3 ? 100.0 * (i + 1) : 400.0) * kMiB; })).shape,
            GrowthShape::kPlateau);
}

TEST(Growth, SawToothIsNoLeak) {
  for (const size_t period : {5, 20, 250}) {
    const auto level = [&](size_t i) { return (500 + 2.0 * static_cast<double>(i % period)) * kMiB; };
    EXPECT_EQ(JudgeGrowth(Make(2000, level)).shape, GrowthShape::kSawTooth) << period;
  }
}

TEST(Growth, SteadyAndNoisyLevelsAreFlat) {
  EXPECT_EQ(JudgeGrowth({5, 5, 5}).shape, GrowthShape::kFlat);
  EXPECT_EQ(JudgeGrowth(Make(50, [](size_t) { return 700 * kMiB; })).shape, GrowthShape::kFlat);
  std::mt19937 random(3);
  int wrong = 0;
  for (int round = 0; round < 200; ++round) {
    const size_t count = 6 + random() % 60;
    const auto shape = JudgeGrowth(Make(count, [&](size_t) { return (100 + random() % 100) * kMiB; })).shape;
    wrong += shape == GrowthShape::kRamp;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Growth, NoisyLeakIsARamp) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    const auto shape = JudgeGrowth(Make(60, [&](size_t i) { return (100 + 4.0 * i + random() % 9) * kMiB; })).shape;
    EXPECT_EQ(shape, GrowthShape::kRamp);
  }
}

TEST(Growth, LeakEveryTenthStep) {
  const Growth g = JudgeGrowth(Make(200, [](size_t i) { return (100.0 + 20.0 * (i / 10)) * kMiB; }));
  EXPECT_EQ(g.shape, GrowthShape::kRamp);
  EXPECT_NEAR(g.bytes_per_step, 2 * kMiB, 0.1 * kMiB);
}

TEST(Growth, FewStepsNeedAClearCase) {
  EXPECT_EQ(JudgeGrowth({}).shape, GrowthShape::kUnknown);
  EXPECT_EQ(JudgeGrowth({1 * kMiB, 2 * kMiB}).shape, GrowthShape::kUnknown);
  EXPECT_EQ(JudgeGrowth({100 * kMiB, 102 * kMiB, 104 * kMiB}).shape, GrowthShape::kRamp);
  EXPECT_EQ(JudgeGrowth({100 * kMiB, 140 * kMiB, 142 * kMiB}).shape, GrowthShape::kUnknown);
  EXPECT_EQ(JudgeGrowth({100 * kMiB, 140 * kMiB, 140 * kMiB, 140 * kMiB}).shape, GrowthShape::kPlateau);
  EXPECT_EQ(JudgeGrowth({100 * kMiB, 140 * kMiB, 140 * kMiB}).shape, GrowthShape::kUnknown);
  EXPECT_EQ(JudgeGrowth({100 * kMiB, 100 * kMiB + 512, 100 * kMiB + 1024}).shape, GrowthShape::kFlat);
  EXPECT_EQ(JudgeGrowth({140 * kMiB, 120 * kMiB, 100 * kMiB}).shape, GrowthShape::kFlat);
  const Growth g = JudgeGrowth({100 * kMiB, 102 * kMiB, 105 * kMiB, 107 * kMiB});
  EXPECT_EQ(g.shape, GrowthShape::kRamp);
  EXPECT_LE(g.low_bytes_per_step, g.bytes_per_step);
  EXPECT_GE(g.high_bytes_per_step, g.bytes_per_step);
  EXPECT_DOUBLE_EQ(g.low_bytes_per_step, 2 * kMiB);
  EXPECT_DOUBLE_EQ(g.high_bytes_per_step, 3 * kMiB);
}

TEST(Growth, JumpsAndFallsAreNoLeak) {
  EXPECT_EQ(JudgeGrowth(Make(20, [](size_t i) { return (i < 10 ? 100 : 300) * kMiB; })).shape, GrowthShape::kPlateau);
  EXPECT_NE(JudgeGrowth(Make(20, [](size_t i) { return (i < 19 ? 100 : 300) * kMiB; })).shape, GrowthShape::kRamp);
  EXPECT_EQ(JudgeGrowth(Make(20, [](size_t i) { return (300 - 5.0 * i) * kMiB; })).shape, GrowthShape::kFlat);
}

}  // namespace
}  // namespace warpscope::analysis
