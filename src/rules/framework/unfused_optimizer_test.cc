#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMs;
using testing::kUs;
using testing::Loop;

TEST(UnfusedOptimizer, FiresOnManyKernelsUnderTheOptimizersRange) {
  Loop loop;
  loop.Steps(5, [&](int) {
    loop.Kernels(20, 100 * kUs);
    loop.Range("Optimizer.step#AdamW.step", [&] { loop.Kernels(200, 4 * kUs, 20 * kUs, "elementwise_kernel"); });
  });
  const Outcome outcome = testing::Evaluate("unfused_optimizer", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_GT(outcome.findings[0].predicted->gain_pct, 40);
}

TEST(UnfusedOptimizer, FiresOnAHandWrittenUpdateAfterTheBackwardPass) {
  Loop loop;
  loop.Steps(5, [&](int) {
    loop.Kernels(10, 50 * kUs);
    loop.builder.UseThread(2);
    const int64_t begin = loop.now;
    loop.Kernels(10, 50 * kUs);
    loop.builder.AddAutogradOp("autograd::engine::evaluate_function: AddmmBackward0", begin, loop.now - begin, 7, 1);
    loop.builder.UseThread(1);
    for (int p = 0; p < 64; ++p) {
      loop.Op("aten::mul_", [&] { loop.Work(5 * kUs).Kernels(1, 3 * kUs); }).Op("aten::add_", [&] {
        loop.Work(5 * kUs).Kernels(1, 3 * kUs);
      });
    }
  });
  const Outcome outcome = testing::Evaluate("unfused_optimizer", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kMedium);
}

TEST(UnfusedOptimizer, SilentForAFusedOne) {
  Loop loop;
  loop.Steps(5, [&](int) {
    loop.Kernels(20, 100 * kUs);
    loop.Range("Optimizer.step#AdamW.step",
               [&] { loop.Kernels(4, 80 * kUs, 20 * kUs, "multi_tensor_apply_kernel<FusedAdamMathFunctor>"); });
  });
  testing::ExpectSilent(testing::Evaluate("unfused_optimizer", loop.builder));
}

// A recorder of CUDA alone sees kernels over lists of tensors, one kind an operation.
Loop ListsOfTensors(int kinds, int launches) {
  Loop loop;
  loop.Steps(5, [&](int) {
    loop.Kernels(20, 100 * kUs);
    for (int kind = 0; kind < kinds; ++kind)
      loop.Kernels(launches, 40 * kUs, 20 * kUs, "multi_tensor_apply_kernel<Functor" + std::to_string(kind) + ">");
  });
  return loop;
}

TEST(UnfusedOptimizer, FiresOnListsOfTensorsWithoutRanges) {
  Loop loop = ListsOfTensors(7, 8);
  const Outcome outcome = testing::Evaluate("unfused_optimizer", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kMedium);
}

TEST(UnfusedOptimizer, SilentForOneOperationOverAllTensors) {
  Loop loop = ListsOfTensors(1, 40);  // a fused kernel over many tensors, or a clipped norm
  testing::ExpectSilent(testing::Evaluate("unfused_optimizer", loop.builder));
}

TEST(UnfusedOptimizer, AbstainsWithoutHostRows) {
  model::testing::TraceBuilder builder;
  for (int i = 0; i < 20; ++i) builder.AddKernel("k", i * 100 * kUs, 50 * kUs);
  testing::ExpectAbstains(testing::Evaluate("unfused_optimizer", builder));
}

}  // namespace
}  // namespace warpscope::rules
