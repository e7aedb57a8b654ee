#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMiB;
using testing::kMs;
using testing::kUs;
using testing::Loop;

void OnePerColumn(Loop& loop, int columns) {
  for (int i = 0; i < columns; ++i) {
    loop.Op("aten::to", [&] { loop.Work(6 * kUs).Upload(4096, kUs, false).Sync(); });
  }
}

TEST(SmallCopies, FiresOnOneCopyAColumn) {
  Loop loop;
  loop.Steps(5, [&](int) {
    OnePerColumn(loop, 128);
    loop.Kernels(20, 30 * kUs);
  });
  const Outcome outcome = testing::Evaluate("small_copies", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_GT(outcome.findings[0].predicted->gain_pct, 50);
}

TEST(SmallCopies, SilentForAFewAStep) {
  Loop loop;
  loop.Steps(5, [&](int) {
    OnePerColumn(loop, 3);
    loop.Kernels(20, 300 * kUs);
  });
  testing::ExpectSilent(testing::Evaluate("small_copies", loop.builder));
}

TEST(SmallCopies, SilentForReadBacks) {
  Loop loop;
  loop.Steps(5, [&](int) {
    for (int i = 0; i < 30; ++i) loop.Kernels(2, 20 * kUs).Item();
  });
  testing::ExpectSilent(testing::Evaluate("small_copies", loop.builder));
}

TEST(SmallCopies, AbstainsWithoutHostRows) {
  model::testing::TraceBuilder builder;
  for (int i = 0; i < 20; ++i) builder.AddKernel("k", i * 100 * kUs, 50 * kUs);
  testing::ExpectAbstains(testing::Evaluate("small_copies", builder));
}

}  // namespace
}  // namespace warpscope::rules
