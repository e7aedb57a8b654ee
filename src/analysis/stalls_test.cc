#include "analysis/stalls.h"

#include <gtest/gtest.h>

#include <string>

namespace warpscope::analysis {
namespace {

class StallsTest : public ::testing::Test {
 protected:
  void Add(const char* function, uint64_t offset, const char* file, uint32_t line, const std::string& reason,
           uint64_t samples, uint64_t code = 1) {
    model::PcSample row;
    row.process = 0;
    row.function = trace_.strings.Intern(function);
    row.code = code;
    row.offset_bytes = offset;
    row.line = line;
    if (line > 0) row.file = trace_.strings.Intern(file);
    row.reason = trace_.strings.Intern("smsp__pcsamp_warps_issue_stalled_" + reason);
    row.samples = samples;
    trace_.pc_samples.push_back(row);
  }
  model::Trace trace_;
};

TEST_F(StallsTest, AddsUpByKernelLineAndInstruction) {
  Add("small", 0x10, "a.cu", 3, "barrier", 5);
  Add("large", 0x10, "b.cu", 7, "long_scoreboard", 60);
  Add("large", 0x20, "b.cu", 7, "long_scoreboard", 10);
  Add("large", 0x20, "b.cu", 7, "selected", 5);
  Add("large", 0x30, "b.cu", 8, "math_pipe_throttle", 20);
  const auto kernels = SummarizeStalls(trace_);
  ASSERT_EQ(kernels.size(), 2u);
  const StalledKernel& large = kernels[0];
  EXPECT_EQ(trace_.Text(large.name), "large");
  EXPECT_EQ(large.samples, 95u);
  EXPECT_DOUBLE_EQ(large.share_pct, 95);
  ASSERT_EQ(large.reasons.size(), 3u);
  EXPECT_EQ(large.reasons[0].reason, "long_scoreboard");
  EXPECT_EQ(large.reasons[0].samples, 70u);
  ASSERT_EQ(large.lines.size(), 2u);
  EXPECT_EQ(large.lines[0].line, 7u);
  EXPECT_EQ(large.lines[0].samples, 75u);
  EXPECT_EQ(large.lines[0].offset_bytes, 0x10u);  // its hottest instruction
  ASSERT_EQ(large.instructions.size(), 3u);
  EXPECT_EQ(large.instructions[1].offset_bytes, 0x30u);
  ASSERT_NE(large.Hottest("math_pipe_throttle"), nullptr);
  EXPECT_EQ(large.Hottest("math_pipe_throttle")->line, 8u);
  EXPECT_EQ(large.Hottest("barrier"), nullptr);
}

TEST_F(StallsTest, CountsEverySampleOnce) {
  Add("k", 0, "", 0, "wait", 8);
  Add("k", 0, "", 0, "wait_not_issued", 6);  // of those 8
  trace_.pc_samples.push_back(trace_.pc_samples.back());
  trace_.pc_samples.back().reason = trace_.strings.Intern("smsp__pcsamp_sample_buffer_full");
  const auto kernels = SummarizeStalls(trace_);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].samples, 8u);
}

TEST_F(StallsTest, IssuingIsNoWait) {
  Add("k", 0, "", 0, "selected", 50);
  Add("k", 16, "", 0, "not_selected", 30);
  EXPECT_EQ(SummarizeStalls(trace_)[0].top_wait(), nullptr);
  Add("k", 16, "", 0, "wait", 1);
  EXPECT_EQ(SummarizeStalls(trace_)[0].top_wait()->reason, "wait");
}

TEST_F(StallsTest, InstructionsOfDifferentCodeStayApart) {
  Add("k", 16, "", 0, "wait", 3, 1);
  Add("k", 16, "", 0, "wait", 4, 2);
  const auto kernels = SummarizeStalls(trace_);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].instructions.size(), 2u);
  EXPECT_TRUE(kernels[0].lines.empty());
  EXPECT_EQ(kernels[0].Hottest("wait")->samples, 4u);
}

TEST_F(StallsTest, SharesAreOfAllSamplesOfTheKernel) {
  Add("k", 16, "", 0, "long_scoreboard", 75);
  Add("k", 16, "", 0, "selected", 25);
  const auto shares = StallShares(SummarizeStalls(trace_)[0]);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].reason, "long_scoreboard");
  EXPECT_DOUBLE_EQ(shares[0].share_pct, 75);
}

TEST_F(StallsTest, WithoutSamplesThereIsNothing) {
  EXPECT_TRUE(SummarizeStalls(trace_).empty());
  EXPECT_EQ(SamplingOf(trace_).samples, 0u);
}

}  // namespace
}  // namespace warpscope::analysis
