#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMiB;
using testing::kMs;
using testing::kUs;
using testing::Loop;

TEST(D2hCopy, FiresOnLargeBlockingDownloads) {
  Loop loop;
  loop.Steps(4, [&](int) { loop.Kernels(20, 100 * kUs).Op("aten::to", [&] { loop.Download(128 * kMiB, 40 * kMs); }); });
  const Outcome outcome = testing::Evaluate("d2h_copy", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_GT(outcome.findings[0].predicted->gain_pct, 80);
}

TEST(D2hCopy, SilentForSmallReadBacks) {
  Loop loop;
  loop.Steps(4, [&](int) { loop.Kernels(20, 100 * kUs).Item().Work(kMs); });
  testing::ExpectSilent(testing::Evaluate("d2h_copy", loop.builder));
}

TEST(D2hCopy, SilentForCopiesIntoPinnedMemoryThatNobodyWaitsFor) {
  Loop loop;
  loop.Steps(4, [&](int) { loop.Kernels(20, 100 * kUs).Download(16 * kMiB, 300 * kUs, true); });
  testing::ExpectSilent(testing::Evaluate("d2h_copy", loop.builder));
}

TEST(D2hCopy, AbstainsWithoutHostRows) {
  model::testing::TraceBuilder builder;
  for (int i = 0; i < 20; ++i) builder.AddKernel("k", i * 100 * kUs, 50 * kUs);
  testing::ExpectAbstains(testing::Evaluate("d2h_copy", builder));
}

}  // namespace
}  // namespace warpscope::rules
