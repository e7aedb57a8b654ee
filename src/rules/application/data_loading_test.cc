#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

using model::testing::TraceBuilder;

// `load_ns` in the loader, then 20 launches of 5 us whose kernels take 10 us each; four steps.
void AddSteps(TraceBuilder& builder, int64_t load_ns) {
  const int64_t step_ns = load_ns + 400'000;
  for (int step = 0; step < 5; ++step) {
    const int64_t at = step * step_ns;
    builder.AddAnnotation("ProfilerStep#" + std::to_string(step), at, step_ns);
    if (load_ns > 0)
      builder.AddAnnotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 1'000, load_ns);
    for (int i = 0; i < 20; ++i) {
      const int64_t call = at + load_ns + 10'000 + i * 15'000;
      builder.Launch("gemm_kernel", call, 5'000, call + 7'000, 10'000);
    }
  }
}

TEST(DataLoading, FiresWhenTheLoaderHoldsUpTheDevice) {
  TraceBuilder builder;
  AddSteps(builder, 4'000'000);
  const Outcome outcome = Evaluate("data_loading", builder);
  ExpectFires(outcome);
  ASSERT_TRUE(outcome.findings[0].predicted.has_value());
  EXPECT_GT(outcome.findings[0].predicted->gain_pct, 60);
}

TEST(DataLoading, IsSilentWithoutALoader) {
  TraceBuilder builder;
  AddSteps(builder, 0);
  ExpectSilent(Evaluate("data_loading", builder));
}

TEST(DataLoading, AbstainsWithoutHostRows) {
  TraceBuilder builder;
  for (int i = 0; i < 40; ++i) builder.AddKernel("gemm_kernel", i * 20'000, 10'000);
  ExpectAbstains(Evaluate("data_loading", builder));
}

}  // namespace
}  // namespace warpscope::rules::testing
