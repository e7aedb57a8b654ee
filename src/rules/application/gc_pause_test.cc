#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMs;
using testing::kUs;
using testing::Loop;

TEST(GcPause, FiresOnCollectFrames) {
  Loop loop;
  loop.Steps(6, [&](int i) {
    loop.Kernels(20, 100 * kUs);
    if (i % 2 == 0) loop.Python("train.py(9): step", [&] { loop.PythonWork("<built-in function collect>", 40 * kMs); });
  });
  const Outcome outcome = testing::Evaluate("gc_pause", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].subject, "train.py(9): step");
}

TEST(GcPause, SilentWhenTheDeviceWorksMeanwhile) {
  Loop loop;
  loop.Steps(6, [&](int) { loop.Kernels(40, kMs).PythonWork("<built-in function collect>", 5 * kMs); });
  testing::ExpectSilent(testing::Evaluate("gc_pause", loop.builder));
}

TEST(GcPause, AbstainsOnUnnamedPausesWithoutStacks) {
  Loop loop;
  loop.Steps(6, [&](int) { loop.Kernels(20, 100 * kUs).Work(40 * kMs); });
  testing::ExpectAbstains(testing::Evaluate("gc_pause", loop.builder));
}

}  // namespace
}  // namespace warpscope::rules
