#include "rules/capture_words.h"

#include <gtest/gtest.h>

namespace warpscope::rules {
namespace {

Verdict Sample() {
  Verdict verdict;
  verdict.abstained = {
      {"host_wait", "a sleep or a lock is seen only with Python frames",
       "torch.profiler.profile(..., with_stack=True)"},
      {"memory_leak", "no memory events", "torch.profiler.profile(..., profile_memory=True), at least 4 steps"},
      {"launch_bound", "no calls", "torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])"}};
  return verdict;
}

TEST(CaptureWordsTest, WhatToRecordIsToldInTheRecordersOptions) {
  Verdict verdict = Sample();
  SpeakOfCapture(false, verdict);
  EXPECT_NE(verdict.abstained[0].record_instead.find("--no-host-samples"), std::string::npos);
  EXPECT_EQ(verdict.abstained[0].reason, "a sleep or a lock is seen only in samples of the host");
  for (const Abstention& abstention : verdict.abstained)
    EXPECT_EQ(abstention.record_instead.find("torch"), std::string::npos) << abstention.record_instead;
}

TEST(CaptureWordsTest, TheFrameworksAllocatorIsKnownToTheFrameworkOnly) {
  Verdict verdict = Sample();
  SpeakOfCapture(true, verdict);
  EXPECT_NE(verdict.abstained[1].record_instead.find("profile_memory=True"), std::string::npos);
  EXPECT_NE(verdict.abstained[1].record_instead.find("warpscope record --memory"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::rules
