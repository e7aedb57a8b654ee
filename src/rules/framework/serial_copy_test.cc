#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMiB;
using testing::kMs;
using testing::kUs;
using testing::Loop;

TEST(SerialCopy, FiresOnPinnedUploadsInTheComputeStream) {
  Loop loop;
  loop.Steps(5, [&](int) { loop.Upload(128 * kMiB, 2500 * kUs, true).Kernels(20, 250 * kUs); });
  const Outcome outcome = testing::Evaluate("serial_copy", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 33, 5);
}

TEST(SerialCopy, SilentOnAStreamOfItsOwn) {
  Loop loop;
  loop.Steps(5, [&](int) {
    loop.builder.LaunchCopy(model::CopyKind::kHostToDevice, model::MemoryKind::kPinned, model::MemoryKind::kDevice,
                            128 * kMiB, loop.now, 8 * kUs, std::max(loop.now + 10 * kUs, loop.free), 2500 * kUs, 20);
    loop.Work(10 * kUs).Kernels(20, 250 * kUs);
  });
  testing::ExpectSilent(testing::Evaluate("serial_copy", loop.builder));
}

TEST(SerialCopy, SilentForPageableUploads) {
  Loop loop;
  loop.Steps(5, [&](int) { loop.Upload(128 * kMiB, 14 * kMs, false).Kernels(20, 250 * kUs); });
  testing::ExpectSilent(testing::Evaluate("serial_copy", loop.builder));
}

// What the rule promises is what `whatif --overlap copies` says: a wait for the kernels stays a wait.
TEST(SerialCopy, PromisesNoMoreThanTheReplayOfTheCopiesAlone) {
  Loop loop;
  loop.Steps(5, [&](int) { loop.Upload(128 * kMiB, 2500 * kUs, true).Kernels(20, 250 * kUs); });
  const Outcome outcome = testing::Evaluate("serial_copy", loop.builder);
  testing::ExpectFires(outcome);
  EXPECT_TRUE(outcome.findings[0].change.call_edits.empty());
}

// Uploads and downloads with hardly a kernel: there is nothing to run beside them but each other, on some devices.
TEST(SerialCopy, PromisesNothingFromCopiesBesideCopies) {
  Loop loop;
  loop.Steps(5, [&](int) {
    loop.Upload(128 * kMiB, 2500 * kUs, true).Kernels(2, 20 * kUs);
    loop.Copy(model::CopyKind::kDeviceToHost, model::MemoryKind::kDevice, model::MemoryKind::kPinned, 128 * kMiB,
              2500 * kUs, false);
  });
  for (const Finding& finding : testing::Evaluate("serial_copy", loop.builder).findings)
    EXPECT_LT(finding.predicted->gain_pct, 5);
}

// Copies of one direction share an engine: those of a second stream that the rule cannot move keep the others waiting.
TEST(SerialCopy, SilentWhereOneDirectionFillsTheStep) {
  Loop loop;
  loop.Steps(6, [&](int) {
    loop.Upload(128 * kMiB, 2500 * kUs, true).Kernels(2, 10 * kUs);
    loop.Upload(128 * kMiB, 2500 * kUs, false);
  });
  testing::ExpectSilent(testing::Evaluate("serial_copy", loop.builder));
}

// Hardly a kernel to hide behind: the promise is what the kernels take, not what the copies take.
TEST(SerialCopy, PromisesNoMoreThanTheKernelsTake) {
  Loop loop;
  loop.Steps(6, [&](int) { loop.Upload(128 * kMiB, 2500 * kUs, true).Kernels(10, 30 * kUs); });
  const Outcome outcome = testing::Evaluate("serial_copy", loop.builder);
  testing::ExpectFires(outcome);
  EXPECT_LT(outcome.findings[0].predicted->gain_pct, 13);  // 0.3 of 2.8 ms
  EXPECT_LT(*outcome.findings[0].share_pct, 13);
}

TEST(SerialCopy, AbstainsWithoutHostRows) {
  model::testing::TraceBuilder builder;
  for (int i = 0; i < 20; ++i) builder.AddKernel("k", i * 100 * kUs, 50 * kUs);
  testing::ExpectAbstains(testing::Evaluate("serial_copy", builder));
}

}  // namespace
}  // namespace warpscope::rules
