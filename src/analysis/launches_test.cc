#include "analysis/launches.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::testing::TraceBuilder;

TEST(Distribute, OfNothingIsZero) {
  const Distribution none = Distribute({});
  EXPECT_EQ(none.count, 0U);
  EXPECT_EQ(none.sum_ns, 0);
}

TEST(Distribute, MedianOfEvenCountIsTheMiddle) {
  const Distribution of = Distribute({40, 10, 30, 20});
  EXPECT_DOUBLE_EQ(of.median_ns, 25);
  EXPECT_DOUBLE_EQ(of.mean_ns, 25);
  EXPECT_EQ(of.min_ns, 10);
  EXPECT_EQ(of.max_ns, 40);
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

TEST(Launches, CountsGraphNodesBehindOneLaunch) {
  TraceBuilder builder;
  builder.AddCall("cudaGraphLaunch", 0, 10, 7);
  for (int i = 0; i < 4; ++i) builder.AddKernel("node", 20 + i * 10, 5, 7);
  const Index index(builder.Finish());
  const LaunchSummary launches = SummarizeLaunches(index, {});
  EXPECT_EQ(launches.launches, 1U);
  EXPECT_EQ(launches.graph_launches, 1U);
  EXPECT_EQ(launches.graph_nodes, 4U);
  EXPECT_EQ(launches.kernel_launches, 0U);
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
