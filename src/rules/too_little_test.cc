#include "rules/too_little.h"

#include <gtest/gtest.h>

#include "rules/engine.h"
#include "rules/testing/loop.h"

namespace warpscope::rules {
namespace {

using testing::kMs;

std::string AnswerTo(testing::Loop& loop) {
  const auto verdict = Analyze(loop.builder.Finish(), {});
  return verdict.ok() ? verdict.value().answer : "";
}

TEST(TooLittle, TheAnswerSaysSoFirst) {
  testing::Loop loop;
  loop.Kernels(1, 10 * kMs);
  EXPECT_EQ(AnswerTo(loop).rfind("Too little was recorded for a verdict: 1 piece of device work", 0), 0U)
      << AnswerTo(loop);
}

TEST(TooLittle, StepsOfOneKernelAreEnough) {
  testing::Loop loop;
  loop.Steps(4, [&](int) { loop.Kernels(1, 10 * kMs); });
  EXPECT_EQ(AnswerTo(loop).find("Too little"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::rules
