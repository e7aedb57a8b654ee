#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMs;
using testing::kUs;
using testing::Loop;

// Each launch waits one switch interval for the interpreter's lock.
void Contended(Loop& loop, int64_t pause_ns) {
  loop.Steps(4, [&](int) {
    for (int i = 0; i < 10; ++i) loop.Kernels(2, 20 * kUs).Work(pause_ns + i * 10 * kUs);
  });
}

TEST(GilContention, FiresOnPausesOfTheSwitchInterval) {
  Loop loop;
  Contended(loop, 5'150 * kUs);
  const Outcome outcome = testing::Evaluate("gil_contention", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kMedium);
}

TEST(GilContention, PausesThatEndWithAnUploadMayBeTheReadingOfItsData) {
  Loop loop;
  loop.Steps(4, [&](int) {
    for (int i = 0; i < 10; ++i) {
      loop.Work(5'150 * kUs + i * 10 * kUs);
      loop.Upload(32 << 20, 3 * kMs, false);
    }
  });
  const Outcome outcome = testing::Evaluate("gil_contention", loop.builder);
  EXPECT_TRUE(outcome.findings.empty());
}

TEST(GilContention, FiresWhenAnotherThreadRunsDuringThePauses) {
  Loop loop;
  Contended(loop, 3 * kMs);
  loop.builder.UseThread(2);
  for (int64_t at = kMs; at < loop.now; at += 100 * kUs)
    loop.builder.AddPython("count.py(3): count_words", at, 99 * kUs);
  const Outcome outcome = testing::Evaluate("gil_contention", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].subject, "count.py(3): count_words");
}

TEST(GilContention, SilentWhenTheOtherThreadOnlyWaits) {
  Loop loop;
  Contended(loop, 3 * kMs);
  loop.builder.UseThread(2).AddPython("threading.py(300): wait", kMs, loop.now);
  testing::ExpectSilent(testing::Evaluate("gil_contention", loop.builder));
}

TEST(GilContention, AbstainsWithoutStacks) {
  Loop loop;
  Contended(loop, 3 * kMs);
  testing::ExpectAbstains(testing::Evaluate("gil_contention", loop.builder));
}

}  // namespace
}  // namespace warpscope::rules
