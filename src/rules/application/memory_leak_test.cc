#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMiB;
using testing::kMs;
using testing::kUs;
using testing::Loop;

// Each step makes and frees a large block; `kept` bytes of a second one stay.
void Train(Loop& loop, int steps, int64_t kept) {
  int64_t level = 100 * kMiB, address = 1 << 20;
  loop.builder.device().memory_bytes = 10'000 * kMiB;
  loop.Steps(steps, [&](int) {
    const auto event = [&](int64_t bytes, uint64_t at) {
      level += bytes;
      loop.builder.AddMemory(loop.now, bytes, at, 0, level, 2000 * kMiB);
      loop.Work(5 * kUs);
    };
    event(50 * kMiB, 1);
    if (kept > 0) event(kept, static_cast<uint64_t>(address += 4096));
    loop.Kernels(20, 100 * kUs);
    event(-50 * static_cast<int64_t>(kMiB), 1);
  });
}

TEST(MemoryLeak, FiresOnARampOfKeptBlocks) {
  Loop loop;
  Train(loop, 8, 4 * kMiB);
  const Outcome outcome = testing::Evaluate("memory_leak", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_FALSE(outcome.findings[0].predicted.has_value());
  EXPECT_NE(outcome.findings[0].title.find("4 MiB"), std::string::npos);
}

TEST(MemoryLeak, SilentWhenEachStepGivesBackAll) {
  Loop loop;
  Train(loop, 8, 0);
  testing::ExpectSilent(testing::Evaluate("memory_leak", loop.builder));
}

TEST(MemoryLeak, AbstainsWithoutMemoryEvents) {
  Loop loop;
  loop.Steps(8, [&](int) { loop.Kernels(20, 100 * kUs); });
  testing::ExpectAbstains(testing::Evaluate("memory_leak", loop.builder));
}

}  // namespace
}  // namespace warpscope::rules
