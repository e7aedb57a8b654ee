#include "rules/given_step.h"

#include <gtest/gtest.h>

#include "rules/engine.h"
#include "rules/testing/loop.h"

namespace warpscope::rules {
namespace {

using testing::kMs;

// A step of 10 ms, 8 of which the device works.
Verdict VerdictWith(double given_ms) {
  testing::Loop loop;
  loop.builder.trace().sources.back().format = "kineto";
  loop.Steps(8, [&](int) { loop.Work(2 * kMs).Kernels(1, 8 * kMs).Sync("cudaDeviceSynchronize"); });
  AnalyzeOptions options;
  options.true_step_ms = given_ms;
  auto verdict = Analyze(loop.builder.Finish(), options);
  EXPECT_TRUE(verdict.ok());
  return verdict.ok() ? std::move(verdict).value() : Verdict{};
}

TEST(GivenStep, WhatTheDeviceAloneExceedsIsNotUsed) {
  const Verdict verdict = VerdictWith(1);
  EXPECT_EQ(verdict.answer.rfind("The given step of 1 ms is not used", 0), 0U) << verdict.answer;
  EXPECT_GT(verdict.base_step_ms.value_or(0), 7.9);
}

TEST(GivenStep, OneFarFromTheRecordingIsDoubted) {
  const Verdict verdict = VerdictWith(500);
  EXPECT_EQ(verdict.answer.rfind("The given step of 500 ms is doubtful", 0), 0U) << verdict.answer;
  for (const Finding& finding : verdict.findings) EXPECT_EQ(finding.confidence, Confidence::kLow);
}

TEST(GivenStep, OneNearTheRecordingIsTaken) {
  const Verdict verdict = VerdictWith(9.5);
  EXPECT_EQ(verdict.answer.find("The given step"), std::string::npos) << verdict.answer;
  EXPECT_DOUBLE_EQ(verdict.base_step_ms.value_or(0), 9.5);
}

}  // namespace
}  // namespace warpscope::rules
