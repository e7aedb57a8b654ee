#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMs;
using testing::kUs;
using testing::Loop;

void Convolution(Loop& loop, int tried) {
  loop.Op("aten::cudnn_convolution", [&] {
    for (int i = 0; i < tried; ++i) {
      loop.Kernels(2, 200 * kUs, 10 * kUs, "conv_fprop_tile_" + std::to_string(i))
          .Call("cudaEventRecord", 2 * kUs)
          .Sync("cudaEventSynchronize");
    }
    loop.Kernels(1, 100 * kUs, 10 * kUs, "conv_fprop_tile_0");
  });
}

TEST(AutotuneChurn, FiresWhenEachStepSearches) {
  Loop loop;
  loop.Steps(5, [&](int) {
    for (int layer = 0; layer < 4; ++layer) Convolution(loop, 8);
  });
  const Outcome outcome = testing::Evaluate("autotune_churn", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_GT(outcome.findings[0].predicted->gain_pct, 70);
}

TEST(AutotuneChurn, SilentWhenOnlyTheFirstStepSearches) {
  Loop loop;
  loop.Steps(6, [&](int i) {
    for (int layer = 0; layer < 4; ++layer) Convolution(loop, i == 0 ? 8 : 0);
  });
  testing::ExpectSilent(testing::Evaluate("autotune_churn", loop.builder));
}

TEST(AutotuneChurn, SilentForConvolutionsOfSeveralKernels) {
  Loop loop;
  loop.Steps(5, [&](int) {
    for (int layer = 0; layer < 4; ++layer) {
      loop.Op("aten::cudnn_convolution", [&] {
        loop.Kernels(1, 30 * kUs, 10 * kUs, "nchwToNhwc")
            .Kernels(1, 100 * kUs)
            .Kernels(1, 30 * kUs, 10 * kUs, "nhwcToNchw");
      });
    }
  });
  testing::ExpectSilent(testing::Evaluate("autotune_churn", loop.builder));
}

TEST(AutotuneChurn, AbstainsWithoutHostRows) {
  model::testing::TraceBuilder builder;
  for (int i = 0; i < 20; ++i) builder.AddKernel("k", i * 100 * kUs, 50 * kUs);
  testing::ExpectAbstains(testing::Evaluate("autotune_churn", builder));
}

}  // namespace
}  // namespace warpscope::rules
