#include "model/breaks.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::model {
namespace {

using testing::TraceBuilder;

constexpr int64_t kMs = 1'000'000;

// Two windows of a recording, [0, 10) and [100, 110) ms, with a kernel in each and a thread that sleeps in between.
class Breaks : public ::testing::Test {
 protected:
  Breaks() {
    builder_.Launch("before", 1 * kMs, 1000, 2 * kMs, 3 * kMs);
    builder_.AddCall("cudaDeviceSynchronize", 5 * kMs, 100 * kMs);
    builder_.AddOp("inside", 40 * kMs, 10 * kMs);
    builder_.Launch("behind", 106 * kMs, 1000, 107 * kMs, 2 * kMs);
  }
  const Trace& Cut(int64_t begin_ms, int64_t end_ms) {
    builder_.trace().pauses.push_back({0, begin_ms * kMs, end_ms * kMs});
    CutBreaks(&builder_.trace());
    return builder_.Finish();
  }
  int64_t StartOf(std::string_view name) {
    const Trace& trace = builder_.trace();
    for (uint32_t row = 0; row < trace.gpu.size(); ++row)
      if (trace.GpuName(row) == name) return trace.gpu.start_ns[row];
    return -1;
  }

  TraceBuilder builder_;
};

TEST_F(Breaks, WhatComesBehindMovesUp) {
  const Trace& trace = Cut(10, 100);
  EXPECT_EQ(StartOf("before"), 2 * kMs);
  EXPECT_EQ(StartOf("behind"), 17 * kMs);
  ASSERT_EQ(trace.breaks.size(), 1U);
  EXPECT_EQ(trace.breaks[0].at_ns, 10 * kMs);
  EXPECT_EQ(trace.breaks[0].length_ns, 90 * kMs);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kUnrecordedBreak), 1U);
  EXPECT_EQ(RecorderTime(trace, 17 * kMs), 107 * kMs);
  EXPECT_TRUE(HasBreak(trace, 2 * kMs, 17 * kMs));
  EXPECT_FALSE(HasBreak(trace, 10 * kMs, 17 * kMs)) << "a stretch that begins with its end has none inside";
}

TEST_F(Breaks, HostRowsAreShortenedOrDropped) {
  const Trace& trace = Cut(10, 100);
  bool synchronizes = false;
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    EXPECT_NE(trace.HostName(row), "inside");
    if (trace.HostName(row) != "cudaDeviceSynchronize") continue;
    synchronizes = true;
    EXPECT_EQ(trace.host.start_ns[row], 5 * kMs);
    EXPECT_EQ(trace.host.dur_ns[row], 10 * kMs);
  }
  EXPECT_TRUE(synchronizes);
}

TEST_F(Breaks, WhereTheDeviceWorkedNothingIsCut) {
  const Trace& trace = Cut(3, 108);
  ASSERT_EQ(trace.breaks.size(), 1U);
  EXPECT_EQ(trace.breaks[0].at_ns, 5 * kMs);  // the end of the first kernel
  EXPECT_EQ(trace.breaks[0].length_ns, 102 * kMs);
}

TEST_F(Breaks, WithoutAPauseNothingMoves) {
  CutBreaks(&builder_.trace());
  EXPECT_TRUE(builder_.Finish().breaks.empty());
  EXPECT_EQ(StartOf("behind"), 107 * kMs);
}

}  // namespace
}  // namespace warpscope::model
