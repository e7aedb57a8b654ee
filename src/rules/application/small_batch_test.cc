#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using model::testing::TraceBuilder;
using testing::kUs;
using testing::Loop;

TEST(SmallBatch, FiresOnSmallGridsAndAnIdleDevice) {
  Loop loop;
  loop.Steps(5, [&](int) { loop.Kernels(100, 4 * kUs, 25 * kUs, "k", TraceBuilder::Config(16, 128, 32, 0)); });
  const Outcome outcome = testing::Evaluate("small_batch", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  // 100 launches of 25 us hide four times the work of 4 us each.
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 75, 1);
  EXPECT_NE(outcome.findings[0].title.find("4 times the data"), std::string::npos) << outcome.findings[0].title;
  EXPECT_NE(outcome.findings[0].title.find("per sample"), std::string::npos);
}

TEST(SmallBatch, SilentWhenTheDeviceIsBusy) {
  Loop loop;
  loop.Steps(5, [&](int) { loop.Kernels(100, 40 * kUs, 25 * kUs, "k", TraceBuilder::Config(16, 128, 32, 0)); });
  testing::ExpectSilent(testing::Evaluate("small_batch", loop.builder));
}

TEST(SmallBatch, SilentForFullGrids) {
  Loop loop;
  loop.Steps(5, [&](int) { loop.Kernels(100, 4 * kUs, 25 * kUs, "k", TraceBuilder::Config(8192, 256, 32, 0)); });
  testing::ExpectSilent(testing::Evaluate("small_batch", loop.builder));
}

TEST(SmallBatch, AbstainsWithoutGrids) {
  Loop loop;
  loop.Steps(5, [&](int) { loop.Kernels(100, 4 * kUs, 25 * kUs, "k", {}); });
  testing::ExpectAbstains(testing::Evaluate("small_batch", loop.builder));
}

}  // namespace
}  // namespace warpscope::rules
