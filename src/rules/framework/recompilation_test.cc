#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMs;
using testing::kUs;
using testing::Loop;

void Compile(Loop& loop) {
  loop.Range("_compile.compile_inner (dynamo_timed)",
             [&] { loop.Work(100 * kMs).CpuOp("aten::linear", 100 * kUs).Work(100 * kMs); });
}

TEST(Recompilation, FiresWhenSeveralStepsCompile) {
  Loop loop;
  loop.Steps(6, [&](int i) {
    if (i % 2 == 1) Compile(loop);
    loop.Kernels(20, 100 * kUs);
  });
  const Outcome outcome = testing::Evaluate("recompilation", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_GT(outcome.findings[0].predicted->gain_pct, 80);
}

TEST(Recompilation, SilentWhenOnlyTheFirstStepCompiles) {
  Loop loop;
  loop.Steps(6, [&](int i) {
    if (i == 0) Compile(loop);
    loop.Kernels(20, 100 * kUs);
  });
  testing::ExpectSilent(testing::Evaluate("recompilation", loop.builder));
}

// Without steps the number of the compiled version tells that it is not the first time.
TEST(Recompilation, FiresWithoutStepsOnALaterVersion) {
  Loop loop;
  for (int i = 0; i < 2; ++i) {
    Compile(loop);
    loop.Op("Torch-Compiled Region: 0/" + std::to_string(7 + i),
            [&] { loop.Kernels(6 + i, 100 * kUs, 20 * kUs, i == 0 ? "a" : "b"); });
  }
  testing::ExpectFires(testing::Evaluate("recompilation", loop.builder));
}

TEST(Recompilation, AbstainsWithoutHostRows) {
  model::testing::TraceBuilder builder;
  for (int i = 0; i < 20; ++i) builder.AddKernel("k", i * 100 * kUs, 50 * kUs);
  testing::ExpectAbstains(testing::Evaluate("recompilation", builder));
}

}  // namespace
}  // namespace warpscope::rules
