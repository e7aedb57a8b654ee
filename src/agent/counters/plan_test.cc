#include "agent/counters/plan.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace warpscope::agent {
namespace {

struct Parsed {
  explicit Parsed(std::string given) : text(std::move(given)), plan(std::make_unique<Plan>()) {
    ParsePlan(text.data(), plan.get());
  }
  std::string text;
  std::unique_ptr<Plan> plan;
};

TEST(PlanTest, ReadsEverySetting) {
  const Parsed parsed(
      "mode sampled\nmode stalls\nmetric a.sum\nmetric b.avg\nkernel ^gemm.*<float, 4>\nname f(int*, int)\nskip "
      "2\ncount 3\n"
      "per-name 4\nreplay application\npass 5\ninterval-us 50\nwindow-ms 40\nperiod-ms 1000\npc-period 12\ncode 1\n");
  const Plan& plan = *parsed.plan;
  EXPECT_TRUE(plan.sampled && plan.stalls && plan.keep_code && plan.application_replay);
  EXPECT_FALSE(plan.exact);
  ASSERT_EQ(plan.metric_count, 2u);
  EXPECT_STREQ(plan.metrics[1], "b.avg");
  ASSERT_EQ(plan.kernel_count, 1u);
  EXPECT_STREQ(plan.kernels[0], "^gemm.*<float, 4>");
  ASSERT_EQ(plan.name_count, 1u);
  EXPECT_STREQ(plan.names[0], "f(int*, int)");
  EXPECT_EQ(plan.skip, 2u);
  EXPECT_EQ(plan.count, 3u);
  EXPECT_EQ(plan.per_name, 4u);
  EXPECT_EQ(plan.pass, 5u);
  EXPECT_EQ(plan.interval_us, 50u);
  EXPECT_EQ(plan.window_ms, 40u);
  EXPECT_EQ(plan.period_ms, 1000u);
  EXPECT_EQ(plan.pc_period, 12u);
}

TEST(PlanTest, PassesOverWhatItDoesNotKnow) {
  const Parsed parsed("mode exact\nfuture 7\nword\n\nmode unknown\nmetric a.sum");
  EXPECT_TRUE(parsed.plan->exact);
  EXPECT_EQ(parsed.plan->metric_count, 1u);
}

TEST(PlanTest, KeepsNoMoreThanItHasRoomFor) {
  std::string text = "mode exact\n";
  for (size_t i = 0; i < Plan::kMostMetrics + 10; ++i) text += "metric m\n";
  EXPECT_EQ(Parsed(text).plan->metric_count, Plan::kMostMetrics);
}

TEST(PlanTest, NoFileIsAPlanForNothing) { EXPECT_FALSE(ReadPlan("/no/such/folder").any()); }

}  // namespace
}  // namespace warpscope::agent
