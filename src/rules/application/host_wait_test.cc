#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMs;
using testing::kUs;
using testing::Loop;

TEST(HostWait, FiresOnSleepAndNamesTheCaller) {
  Loop loop;
  loop.Steps(5, [&](int) {
    loop.Python("serve.py(20): poll", [&] { loop.PythonWork("<built-in function sleep>", 12 * kMs); })
        .Kernels(20, 100 * kUs);
  });
  const Outcome outcome = testing::Evaluate("host_wait", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].subject, "serve.py(20): poll");
  EXPECT_NE(outcome.findings[0].title.find("sleeps"), std::string::npos);
}

TEST(HostWait, FiresOnAnEmptyQueue) {
  Loop loop;
  loop.Steps(5, [&](int) {
    loop.Python("queue.py(154): get", [&] { loop.PythonWork("threading.py(320): wait", 9 * kMs); })
        .Kernels(20, 100 * kUs);
  });
  testing::ExpectFires(testing::Evaluate("host_wait", loop.builder));
}

// As main and autograd threads do: one waits in a lock while the other one launches.
TEST(HostWait, SilentForAThreadThatWaitsWhileAnotherOneLaunches) {
  Loop loop;
  loop.Steps(6, [&](int) {
    for (const int64_t thread : {1, 2}) {
      loop.builder.UseThread(3 - thread).AddHost(model::HostKind::kOsCall, "futex", loop.now, 10 * kMs);
      loop.builder.UseThread(thread);
      loop.Kernels(200, 5 * kUs, 50 * kUs);
    }
    loop.builder.UseThread(1);
  });
  testing::ExpectSilent(testing::Evaluate("host_wait", loop.builder));
}

TEST(HostWait, SilentForWaitsOfALoader) {
  Loop loop;
  loop.Steps(5, [&](int) {
    loop.Range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
               [&] { loop.PythonWork("queue.py(154): get", 9 * kMs); });
    loop.Kernels(20, 100 * kUs);
  });
  testing::ExpectSilent(testing::Evaluate("host_wait", loop.builder));
}

TEST(HostWait, AbstainsOnUnnamedPausesWithoutStacks) {
  Loop loop;
  loop.Steps(5, [&](int) { loop.Work(12 * kMs).Kernels(20, 100 * kUs); });
  testing::ExpectAbstains(testing::Evaluate("host_wait", loop.builder));
}

}  // namespace
}  // namespace warpscope::rules
