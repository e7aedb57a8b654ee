#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMiB;
using testing::kMs;
using testing::kUs;
using testing::Loop;

TEST(ModelLoad, FiresOnAStartUp) {
  Loop loop;
  for (int i = 0; i < 24; ++i) loop.Work(4 * kMs).Op("aten::to", [&] { loop.Upload((16 + i) * kMiB, 3 * kMs, false); });
  loop.Kernels(24, 200 * kUs).Item();
  const Outcome outcome = testing::Evaluate("model_load", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_NE(outcome.findings[0].title.find("start-up"), std::string::npos);
}

TEST(ModelLoad, SilentForUploadsOfALoop) {
  Loop loop;
  loop.Steps(6, [&](int) { loop.Work(4 * kMs).Upload(64 * kMiB, 7 * kMs, false).Kernels(20, 100 * kUs); });
  testing::ExpectSilent(testing::Evaluate("model_load", loop.builder));
}

TEST(ModelLoad, AbstainsWithoutHostRows) {
  model::testing::TraceBuilder builder;
  for (int i = 0; i < 20; ++i) builder.AddKernel("k", i * 100 * kUs, 50 * kUs);
  testing::ExpectAbstains(testing::Evaluate("model_load", builder));
}

}  // namespace
}  // namespace warpscope::rules
