#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using model::CopyKind;
using model::MemoryKind;
using testing::kMiB;
using testing::kMs;
using testing::kUs;
using testing::Loop;

TEST(PageableCopy, FiresOnLargePageableUploads) {
  Loop loop;
  loop.Steps(4, [&](int) { loop.Upload(128 * kMiB, 14 * kMs, false).Kernels(20, 200 * kUs); });
  const Outcome outcome = testing::Evaluate("pageable_copy", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_GT(outcome.findings[0].predicted->gain_pct, 40);
}

// The rate of pinned copies in the same recording beats the table.
TEST(PageableCopy, UsesThePinnedRateOfTheRecording) {
  Loop loop;
  loop.Steps(4, [&](int) {
    loop.Upload(128 * kMiB, 14 * kMs, false).Upload(64 * kMiB, 4 * kMs, true).Kernels(20, 200 * kUs);
  });
  const Outcome outcome = testing::Evaluate("pageable_copy", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_NE(outcome.findings[0].evidence[0].text.find("in this recording"), std::string::npos);
}

TEST(PageableCopy, SilentForPinnedAndForTinyUploads) {
  Loop loop;
  loop.Steps(4, [&](int) { loop.Upload(64 * kMiB, 2 * kMs, true).Upload(256, kUs, false).Kernels(20, 200 * kUs); });
  testing::ExpectSilent(testing::Evaluate("pageable_copy", loop.builder));
}

TEST(PageableCopy, AbstainsIfTheMemoryKindIsUnknown) {
  Loop loop;
  loop.Steps(4, [&](int) {
    loop.Copy(CopyKind::kHostToDevice, MemoryKind::kUnknown, MemoryKind::kDevice, 64 * kMiB, 8 * kMs, true)
        .Kernels(20, 200 * kUs);
  });
  testing::ExpectAbstains(testing::Evaluate("pageable_copy", loop.builder));
}

}  // namespace
}  // namespace warpscope::rules
