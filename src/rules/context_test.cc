#include "rules/context.h"

#include <gtest/gtest.h>

#include "rules/engine.h"
#include "rules/testing/loop.h"

namespace warpscope::rules {
namespace {

using testing::kMs;
using testing::kUs;
using testing::Loop;

// Kernels of 1 ms that the host issues just in time, so that what the recorder costs the host shows in the step.
void JustInTime(Loop& loop) {
  loop.Steps(6, [&](int) {
    for (int i = 0; i < 10; ++i) loop.Kernels(1, kMs, kMs + 40 * kUs);
    loop.Sync();
  });
}

TEST(Context, NoCorrectionMakesAStepShorterThanItsWork) {
  Loop loop;
  JustInTime(loop);
  loop.builder.trace().sources.back().format = "kineto";
  const analysis::Index index(loop.builder.Finish());
  const auto context = Context::Build(index, index.ranks().front(), {});
  ASSERT_NE(context->sim, nullptr);
  EXPECT_TRUE(context->knows_recorder());
  EXPECT_GE(*context->base_step_ms(), context->PerStepMs(context->busy.length_ns()));
}

// The window ends with the device's last work, so the last step's wait lies outside: still one a step.
TEST(Context, TheEndsOfTheWindowDoNotMakePartsOfOne) {
  Loop loop;
  JustInTime(loop);
  const analysis::Index index(loop.builder.Finish());
  const auto context = Context::Build(index, index.ranks().front(), {});
  const double steps = context->step_count();
  ASSERT_GE(steps, 4);
  EXPECT_EQ(context->CountPerStep(steps - 1), 1);
  EXPECT_EQ(context->CountPerStep(3 * steps + 1), 3);
  EXPECT_DOUBLE_EQ(context->CountPerStep(steps / 2), 0.5);
}

TEST(Context, AnUnknownRecorderIsNotCorrectedFor) {
  Loop loop;
  JustInTime(loop);
  auto verdict = Analyze(loop.builder.Finish());
  ASSERT_TRUE(verdict.ok());
  EXPECT_FALSE(verdict->knows_recorder);
  for (const std::string& note : verdict->notes) EXPECT_EQ(note.find("The recorder slows"), std::string::npos) << note;
}

}  // namespace
}  // namespace warpscope::rules
