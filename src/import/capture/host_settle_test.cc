#include "import/capture/host_settle.h"

#include <gtest/gtest.h>

#include "import/appender.h"

namespace warpscope::import::capture {
namespace {

using model::HostKind;

constexpr int64_t kMs = 1'000'000;

// One thread, recorded by an agent and sampled every 10 ms from outside.
class Settle : public ::testing::Test {
 protected:
  Settle() : exact_(&trace_, "run/1.capture", "capture"), sampled_(&trace_, "run/host.capture", "capture") {
    for (Appender* to : {&exact_, &sampled_}) to->source().part_of = "capture:run";
    sampled_.source().sample_period_ns = 10 * kMs;
  }
  void Exact(HostKind kind, double begin_ms, double end_ms) { Add(exact_, kind, begin_ms, end_ms); }
  // What became of the sampled row, in milliseconds.
  std::pair<double, double> Sampled(HostKind kind, double begin_ms, double end_ms) {
    Add(sampled_, kind, begin_ms, end_ms);
    SettleSampledRows(&trace_);
    const uint32_t row = trace_.host.size() - 1;
    return {static_cast<double>(trace_.host.start_ns[row]) / kMs, static_cast<double>(trace_.host.end_ns(row)) / kMs};
  }

  model::Trace trace_;
  Appender exact_, sampled_;

 private:
  void Add(Appender& to, HostKind kind, double begin_ms, double end_ms) {
    Appender::Host row;
    row.kind = kind;
    row.name = to.Text("row");
    row.thread = to.Thread(to.Process(1), 1);
    row.start_ns = static_cast<int64_t>(begin_ms * kMs);
    row.dur_ns = static_cast<int64_t>((end_ms - begin_ms) * kMs);
    if (kind == HostKind::kPython) {  // seen half a period from its edges
      row.correlation = static_cast<uint64_t>(row.start_ns + 5 * kMs);
      row.external_id = static_cast<uint64_t>(row.start_ns + row.dur_ns - 5 * kMs);
    }
    to.Add(row);
  }
};

using Pair = std::pair<double, double>;

TEST_F(Settle, AWaitSeenInsideACallIsAPartOfIt) {
  Exact(HostKind::kRuntimeCall, 100, 130);
  EXPECT_EQ(Sampled(HostKind::kOsCall, 97, 134), Pair(100, 130));
}

TEST_F(Settle, AWaitSeenBesideACallDoesNotReachIn) {
  Exact(HostKind::kRuntimeCall, 100, 130);
  EXPECT_EQ(Sampled(HostKind::kOsCall, 128, 160), Pair(130, 160));
}

TEST_F(Settle, AFrameSeenInsideACallHoldsItAll) {
  Exact(HostKind::kRuntimeCall, 100, 130);
  EXPECT_EQ(Sampled(HostKind::kPython, 102, 128), Pair(100, 130));
}

TEST_F(Settle, TheNextFrameBeginsAfterTheCall) {
  Exact(HostKind::kRuntimeCall, 100, 130);
  EXPECT_EQ(Sampled(HostKind::kPython, 128, 170), Pair(130, 170));
}

TEST_F(Settle, EdgesOutsideOfCallsStay) {
  Exact(HostKind::kRuntimeCall, 100, 130);
  EXPECT_EQ(Sampled(HostKind::kPython, 90, 140), Pair(90, 140));
}

TEST_F(Settle, AFrameSeenOnceReachesNoFurtherThanTheCallsAroundTheSample) {
  Exact(HostKind::kRuntimeCall, 90, 98);
  Exact(HostKind::kRuntimeCall, 101, 102);
  EXPECT_EQ(Sampled(HostKind::kPython, 95, 105), Pair(98, 101));
  EXPECT_EQ(Sampled(HostKind::kPython, 96.5, 106.5), Pair(101, 102));  // the sample fell into the call
  EXPECT_EQ(Sampled(HostKind::kPython, 95, 115), Pair(98, 115));       // seen twice, at 100 and 110
}

TEST_F(Settle, AFrameThatReachesOverARangesBeginIsCut) {
  Exact(HostKind::kAnnotation, 100, 200);
  EXPECT_EQ(Sampled(HostKind::kPython, 97, 150), Pair(100, 150));
}

TEST_F(Settle, AFrameAroundARangeStays) {
  Exact(HostKind::kAnnotation, 100, 200);
  EXPECT_EQ(Sampled(HostKind::kPython, 97, 230), Pair(97, 230));
}

TEST_F(Settle, OtherThreadsCallsDoNotMatter) {
  Appender::Host row;
  row.kind = HostKind::kRuntimeCall;
  row.thread = exact_.Thread(exact_.Process(1), 2);
  row.name = exact_.Text("other");
  row.start_ns = 100 * kMs;
  row.dur_ns = 30 * kMs;
  exact_.Add(row);
  EXPECT_EQ(Sampled(HostKind::kPython, 102, 128), Pair(102, 128));
}

TEST_F(Settle, WhatLiesOutsideOfTheAgentsTimeIsCut) {
  Appender::Gpu work;
  work.name = exact_.Text("kernel");
  work.stream = exact_.Stream(exact_.Process(1), exact_.Device(0), 1, 7);
  work.start_ns = 110 * kMs;
  work.dur_ns = 100 * kMs;
  exact_.Add(work);
  Exact(HostKind::kRuntimeCall, 100, 101);
  EXPECT_EQ(Sampled(HostKind::kPython, 20, 160), Pair(100, 160));
  EXPECT_EQ(Sampled(HostKind::kPython, 180, 900), Pair(180, 210));
  const uint32_t rows = trace_.host.size();
  Sampled(HostKind::kPython, 20, 60);
  EXPECT_EQ(trace_.host.size(), rows);
}

TEST_F(Settle, ExactWaitsFromOutsideAreNotMoved) {
  sampled_.source().sample_period_ns = 0;
  Exact(HostKind::kRuntimeCall, 100, 130);
  EXPECT_EQ(Sampled(HostKind::kOsCall, 129, 160), Pair(129, 160));
}

TEST_F(Settle, WithoutSampledSourcesNothingMoves) {
  sampled_.source().sample_period_ns.reset();
  Exact(HostKind::kRuntimeCall, 100, 130);
  EXPECT_EQ(Sampled(HostKind::kPython, 102, 128), Pair(102, 128));
}

}  // namespace
}  // namespace warpscope::import::capture
