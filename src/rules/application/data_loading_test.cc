#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

using model::testing::TraceBuilder;

constexpr const char* kInProcess = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
constexpr const char* kWorkers = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";

// `load_ns` in the loader in each step or every `period`-th, then 20 launches of 5 us whose kernels take 10 us each.
void AddSteps(TraceBuilder& builder, int64_t load_ns, const char* loader = kInProcess, int steps = 5, int period = 1) {
  int64_t at = 0;
  for (int step = 0; step < steps; ++step) {
    const int64_t wait_ns = step % period == 0 ? load_ns : std::min<int64_t>(load_ns, 20'000);
    const int64_t step_ns = wait_ns + 400'000;
    builder.AddAnnotation("ProfilerStep#" + std::to_string(step), at, step_ns);
    if (wait_ns > 0) builder.AddAnnotation(loader, at + 1'000, wait_ns);
    for (int i = 0; i < 20; ++i) {
      const int64_t call = at + wait_ns + 10'000 + i * 15'000;
      builder.Launch("gemm_kernel", call, 5'000, call + 7'000, 10'000);
    }
    at += step_ns;
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

// A single worker: eight deliver eight times as often. Four that deliver together: twice as many.
TEST(DataLoading, MoreWorkersThanThereAre) {
  TraceBuilder one;
  AddSteps(one, 16'000'000, kWorkers);
  const Outcome single = Evaluate("data_loading", one);
  ExpectFires(single);
  EXPECT_NEAR(single.findings[0].predicted->step_ms_after, 2.0, 0.5);
  TraceBuilder bursts;
  AddSteps(bursts, 16'000'000, kWorkers, 17, 4);
  const Outcome four = Evaluate("data_loading", bursts);
  ExpectFires(four);
  EXPECT_GT(four.findings[0].predicted->gain_pct, 35);
  EXPECT_LT(four.findings[0].predicted->gain_pct, 65);
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
