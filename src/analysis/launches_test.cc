#include "analysis/launches.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::testing::TraceBuilder;

TEST(Launches, DelaysQueueAndLateHost) {
  TraceBuilder b;
  b.Launch("a", 0, 100, 150, 50);      // idle stream: 50 after the call's end
  b.Launch("b", 110, 100, 1000, 500);  // device idle [200, 1000), issued at 210: device late from there
  b.Launch("c", 220, 100, 1500, 500);  // queued behind b
  const Index index(b.Finish());
  const LaunchSummary s = SummarizeLaunches(index, {});
  EXPECT_EQ(s.launches, 3U);
  EXPECT_EQ(s.kernel_launches, 3U);
  EXPECT_DOUBLE_EQ(s.call.median_ns, 100);
  EXPECT_EQ(s.delay_from_call_end.min_ns, 50);
  EXPECT_EQ(s.delay_from_call_start.max_ns, 1280);
  EXPECT_EQ(s.idle_delay.count, 1U);
  EXPECT_EQ(s.queue_depth_max, 2U);
  EXPECT_EQ(s.host_late_ns, 10);
  EXPECT_EQ(s.device_late_ns, 790);
  EXPECT_DOUBLE_EQ(s.host_interval.median_ns, 110);
  const auto points = QueueDepth(index, {});
  EXPECT_EQ(points.front().depth, 1U);
  EXPECT_EQ(points.back().depth, 0U);
  EXPECT_EQ(QueueDepth(index, {}, 2).size(), 2U);
}

TEST(Launches, GraphsAreOneLaunchWithManyNodes) {
  TraceBuilder b;
  b.AddCall("cudaGraphLaunch", 0, 10, 5);
  for (int i = 0; i < 24; ++i) b.AddKernel("node", 20 + i * 10, 8, 5);
  b.AddCall("cudaGraphLaunch", 500, 10, 6);
  const LaunchSummary s = SummarizeLaunches(Index(b.Finish()), {});
  EXPECT_EQ(s.graph_launches, 2U);
  EXPECT_EQ(s.graph_nodes, 24U);
  EXPECT_EQ(s.unmatched, 1U);
  EXPECT_EQ(s.delay_from_call_end.count, 1U);
}

TEST(Launches, AFullQueueBlocksLaunchCalls) {
  TraceBuilder b;
  constexpr int64_t kKernel = 1'000'000;
  int64_t at = 0;
  for (int i = 0; i < 1200; ++i) {
    const bool blocked = i >= 1022;
    const int64_t call = blocked ? kKernel - 1000 : 4000;
    b.Launch("k", at, call, 10'000 + i * kKernel, kKernel);
    at += call + 1000;
  }
  const LaunchSummary s = SummarizeLaunches(Index(b.Finish()), {});
  EXPECT_EQ(s.blocked_launches, 178U);
  EXPECT_GT(s.blocked_ns, 170 * kKernel);
}

TEST(Launches, DriverCallInsideRuntimeCallIsOneLaunch) {
  TraceBuilder b;
  b.AddCall("cudaLaunchKernelExC", 0, 100, 9);
  b.AddHost(model::HostKind::kDriverCall, "cuLaunchKernelEx", 10, 80, 9);
  b.AddKernel("k", 150, 10, 9);
  const LaunchSummary s = SummarizeLaunches(Index(b.Finish()), {});
  EXPECT_EQ(s.launches, 1U);
  EXPECT_EQ(s.unmatched, 0U);
}

TEST(Launches, ByKernel) {
  TraceBuilder b;
  b.Launch("tiny", 0, 100, 150, 5);
  b.Launch("tiny", 200, 100, 350, 500);
  b.Launch("big", 400, 100, 900, 500);
  const auto rows = LaunchesByKernel(Index(b.Finish()), {});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].count, 2U);
  EXPECT_EQ(rows[0].shorter_than_launch, 1U);
}

TEST(Launches, NoHostRows) {
  TraceBuilder b;
  b.AddKernel("a", 0, 10).AddKernel("b", 100, 10);
  const LaunchSummary s = SummarizeLaunches(Index(b.Finish()), {});
  EXPECT_EQ(s.launches, 0U);
  EXPECT_EQ(s.host_late_ns, 0);
  EXPECT_NEAR(*s.device_idle_pct, 100.0 * 90 / 110, 1e-9);
}

TEST(Launches, SplitsIdleTimeByWhoWasLate) {
  TraceBuilder builder;
  builder.Launch("a", 0, 10, 20, 100);     // device busy [20, 120)
  builder.Launch("b", 150, 10, 170, 100);  // ran dry at 120, issued at 160: 40 host, 10 device
  builder.Launch("c", 180, 10, 275, 100);  // issued long before 270: 5 device
  const Index index(builder.Finish());
  const LaunchSummary launches = SummarizeLaunches(index, {});
  EXPECT_EQ(launches.launches, 3U);
  EXPECT_EQ(launches.host_late_ns, 40);
  EXPECT_EQ(launches.device_late_ns, 15);
  EXPECT_DOUBLE_EQ(launches.call.median_ns, 10);
  EXPECT_DOUBLE_EQ(launches.host_interval.mean_ns, 90);
  EXPECT_EQ(launches.queue_depth_max, 2U);
}

TEST(Launches, QueueDepthKeepsPeaksWhenThinned) {
  TraceBuilder builder;
  for (int i = 0; i < 50; ++i) builder.Launch("k", i * 10, 5, 1000 + i * 10, 10);
  const Index index(builder.Finish());
  uint32_t peak = 0;
  for (const QueuePoint& point : QueueDepth(index, {}, 5)) peak = std::max(peak, point.depth);
  EXPECT_EQ(peak, 50U);
}

}  // namespace
}  // namespace warpscope::analysis
