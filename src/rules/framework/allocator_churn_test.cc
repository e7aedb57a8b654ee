#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMs;
using testing::kUs;
using testing::Loop;

void EmptyCache(Loop& loop) {
  for (int i = 0; i < 4; ++i) loop.Sync("cudaFree", 150 * kUs);
  for (int i = 0; i < 4; ++i) loop.Call("cudaMalloc", 120 * kUs);
}

TEST(AllocatorChurn, FiresOnFreesAndAllocationsInEachStep) {
  Loop loop;
  loop.Steps(5, [&](int) {
    loop.Kernels(20, 50 * kUs);
    EmptyCache(loop);
  });
  const Outcome outcome = testing::Evaluate("allocator_churn", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_GT(outcome.findings[0].predicted->gain_pct, 20);
}

TEST(AllocatorChurn, SilentInTheFirstStepOnly) {
  Loop loop;
  loop.Steps(8, [&](int i) {
    loop.Kernels(20, 50 * kUs);
    if (i == 0) EmptyCache(loop);
  });
  testing::ExpectSilent(testing::Evaluate("allocator_churn", loop.builder));
}

TEST(AllocatorChurn, SilentForTheStreamOrderedAllocator) {
  Loop loop;
  loop.Steps(5,
             [&](int) { loop.Kernels(20, 50 * kUs).Call("cudaMallocAsync", 3 * kUs).Call("cudaFreeAsync", 3 * kUs); });
  testing::ExpectSilent(testing::Evaluate("allocator_churn", loop.builder));
}

TEST(AllocatorChurn, AbstainsWithoutHostRows) {
  model::testing::TraceBuilder builder;
  for (int i = 0; i < 20; ++i) builder.AddKernel("k", i * 100 * kUs, 50 * kUs);
  testing::ExpectAbstains(testing::Evaluate("allocator_churn", builder));
}

}  // namespace
}  // namespace warpscope::rules
