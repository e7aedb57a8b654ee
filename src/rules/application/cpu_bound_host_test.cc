#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMs;
using testing::kUs;
using testing::Loop;

TEST(CpuBoundHost, NamesTheLineWhenStacksWereRecorded) {
  Loop loop;
  loop.Steps(5, [&](int) { loop.PythonWork("train.py(41): mask_tokens", 12 * kMs).Kernels(20, 100 * kUs); });
  const Outcome outcome = testing::Evaluate("cpu_bound_host", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].subject, "train.py(41): mask_tokens");
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kHigh);
}

TEST(CpuBoundHost, SaysThatItWasNotRecordedWithoutStacks) {
  Loop loop;
  loop.Steps(5, [&](int) { loop.Work(12 * kMs).Kernels(20, 100 * kUs); });
  const Outcome outcome = testing::Evaluate("cpu_bound_host", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_NE(outcome.findings[0].title.find("not recorded"), std::string::npos);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kLow);
}

TEST(CpuBoundHost, SilentWhenTheDeviceIsBusyMeanwhile) {
  Loop loop;
  loop.Steps(6, [&](int) { loop.Kernels(40, 500 * kUs).PythonWork("train.py(41): log", 5 * kMs); });
  testing::ExpectSilent(testing::Evaluate("cpu_bound_host", loop.builder));
}

TEST(CpuBoundHost, SilentForManyShortPauses) {
  Loop loop;
  loop.Steps(5, [&](int) { loop.Kernels(300, 3 * kUs, 25 * kUs); });
  testing::ExpectSilent(testing::Evaluate("cpu_bound_host", loop.builder));
}

TEST(CpuBoundHost, SilentForLoadingAndWaiting) {
  Loop loop;
  loop.Steps(5, [&](int) {
    loop.Range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", [&] { loop.Work(10 * kMs); });
    loop.PythonWork("<built-in function sleep>", 5 * kMs).Kernels(20, 100 * kUs);
  });
  testing::ExpectSilent(testing::Evaluate("cpu_bound_host", loop.builder));
}

TEST(CpuBoundHost, AbstainsWithoutHostRows) {
  model::testing::TraceBuilder builder;
  for (int i = 0; i < 20; ++i) builder.AddKernel("k", i * 100 * kUs, 50 * kUs);
  testing::ExpectAbstains(testing::Evaluate("cpu_bound_host", builder));
}

}  // namespace
}  // namespace warpscope::rules
