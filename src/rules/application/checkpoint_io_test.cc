#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMiB;
using testing::kMs;
using testing::kUs;
using testing::Loop;

void StateDict(Loop& loop) {
  for (int i = 0; i < 12; ++i) {
    loop.Download((1 + i % 4) * kMiB, 100 * kUs).Work(400 * kUs);
  }
}

TEST(CheckpointIo, FiresOnSaveFrames) {
  Loop loop;
  loop.Steps(6, [&](int i) {
    loop.Kernels(20, 100 * kUs);
    if (i % 2 == 0) {
      loop.Python("train.py(9): step",
                  [&] { loop.Python("torch/serialization.py(850): save", [&] { StateDict(loop); }); });
    }
  });
  const Outcome outcome = testing::Evaluate("checkpoint_io", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kHigh);
}

TEST(CheckpointIo, FiresOnABurstOfDownloadsWithoutFrames) {
  Loop loop;
  loop.Steps(6, [&](int) {
    loop.Kernels(20, 100 * kUs);
    StateDict(loop);
  });
  const Outcome outcome = testing::Evaluate("checkpoint_io", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kMedium);
}

TEST(CheckpointIo, SilentForOneResultCopyAStep) {
  Loop loop;
  loop.Steps(6, [&](int) { loop.Kernels(20, 100 * kUs).Download(64 * kMiB, 20 * kMs).Work(3 * kMs); });
  testing::ExpectSilent(testing::Evaluate("checkpoint_io", loop.builder));
}

TEST(CheckpointIo, AbstainsWithoutHostRows) {
  model::testing::TraceBuilder builder;
  for (int i = 0; i < 20; ++i) builder.AddKernel("k", i * 100 * kUs, 50 * kUs);
  testing::ExpectAbstains(testing::Evaluate("checkpoint_io", builder));
}

}  // namespace
}  // namespace warpscope::rules
