#include "rules/typical_context.h"

#include <gtest/gtest.h>

#include "rules/engine.h"
#include "rules/testing/loop.h"

namespace warpscope::rules {
namespace {

using testing::kMs;
using testing::kUs;
using testing::Loop;

constexpr const char* kNext = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";

// A loop of 60 small kernels a step whose loader takes `usual` each time and `once` in step `at`.
void LoopWithALoader(Loop& loop, int steps, int at, int64_t usual_ns, int64_t once_ns) {
  loop.Steps(steps, [&](int step) {
    loop.Range(kNext, [&] { loop.Work(step == at ? once_ns : usual_ns); });
    loop.Kernels(60, 5 * kUs, 60 * kUs).Sync();
  });
}

Verdict Judge(Loop& loop) {
  auto verdict = Analyze(loop.builder.Finish());
  EXPECT_TRUE(verdict.ok());
  return std::move(verdict).value();
}

const Finding* Find(const Verdict& verdict, std::string_view id) {
  for (const Finding& finding : verdict.findings) {
    if (finding.id == id) return &finding;
  }
  return nullptr;
}

TEST(TypicalContext, WhatHeldTheLoopUpOnceIsToldApart) {
  Loop loop;
  LoopWithALoader(loop, 7, 2, 20 * kUs, 170 * kMs);
  const Verdict verdict = Judge(loop);
  EXPECT_EQ(verdict.step_count, 4U);
  ASSERT_TRUE(verdict.base_step_ms.has_value());
  EXPECT_LT(*verdict.base_step_ms, 5);  // not the mean of all, which is 28
  const Finding* loading = Find(verdict, "data_loading");
  ASSERT_NE(loading, nullptr);
  EXPECT_FALSE(loading->predicted.has_value());
  EXPECT_NE(loading->once.find("once in 7 steps"), std::string::npos) << loading->once;
  EXPECT_NE(verdict.findings.front().id, "data_loading");
  for (const Finding& finding : verdict.findings) {
    if (finding.predicted) {
      EXPECT_DOUBLE_EQ(finding.predicted->step_ms_before, *verdict.base_step_ms);
    }
  }
}

TEST(TypicalContext, ALoaderThatIsSlowEachTimeLeads) {
  Loop loop;
  LoopWithALoader(loop, 7, 2, 20 * kMs, 40 * kMs);
  const Verdict verdict = Judge(loop);
  EXPECT_EQ(verdict.step_count, 7U);
  ASSERT_FALSE(verdict.findings.empty());
  EXPECT_EQ(verdict.findings.front().id, "data_loading");
  EXPECT_TRUE(verdict.findings.front().predicted.has_value());
}

TEST(TypicalContext, TooFewStepsAreLeftToTellApart) {
  Loop loop;
  LoopWithALoader(loop, 5, 2, 20 * kUs, 170 * kMs);
  EXPECT_EQ(Judge(loop).step_count, 5U);
}

}  // namespace
}  // namespace warpscope::rules
