#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMiB;
using testing::kMs;
using testing::kUs;
using testing::Loop;

TEST(CpuOp, FiresOnAnOperatorThatMakesNoDeviceCall) {
  Loop loop;
  loop.Steps(5, [&](int) {
    loop.CpuOp("aten::sort", 8 * kMs)
        .Op("aten::to", [&] { loop.Upload(kMiB, 120 * kUs, false); })
        .Kernels(20, 100 * kUs);
  });
  const Outcome outcome = testing::Evaluate("cpu_op", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].subject, "aten::sort");
  EXPECT_GT(outcome.findings[0].predicted->gain_pct, 60);
}

TEST(CpuOp, SilentInsideALoader) {
  Loop loop;
  loop.Steps(5, [&](int) {
    loop.Range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
               [&] { loop.CpuOp("aten::stack", 8 * kMs); });
    loop.Kernels(20, 100 * kUs);
  });
  testing::ExpectSilent(testing::Evaluate("cpu_op", loop.builder));
}

TEST(CpuOp, SilentForOperatorsThatLaunch) {
  Loop loop;
  loop.Steps(5, [&](int) {
    for (int i = 0; i < 20; ++i) loop.Op("aten::conv2d", [&] { loop.Work(100 * kUs).Kernels(1, 50 * kUs); });
  });
  testing::ExpectSilent(testing::Evaluate("cpu_op", loop.builder));
}

TEST(CpuOp, AbstainsWithoutHostRows) {
  model::testing::TraceBuilder builder;
  for (int i = 0; i < 20; ++i) builder.AddKernel("k", i * 100 * kUs, 50 * kUs);
  testing::ExpectAbstains(testing::Evaluate("cpu_op", builder));
}

}  // namespace
}  // namespace warpscope::rules
