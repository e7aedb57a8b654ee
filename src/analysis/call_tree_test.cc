#include "analysis/call_tree.h"

#include <gtest/gtest.h>

#include <random>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::kNone;
using model::testing::TraceBuilder;

TEST(CallTree, FindsCallersAndMoments) {
  TraceBuilder b;
  b.AddAnnotation("ProfilerStep#1", 0, 1000);
  b.AddPython("train.py(10): step", 10, 900);
  b.AddPython("torch/_ops.py(5): __call__", 20, 500);
  b.AddOp("aten::item", 100, 300);
  b.AddOp("aten::_local_scalar_dense", 110, 280);
  b.AddCall("cudaStreamSynchronize", 200, 100);
  b.AddOp("later", 2000, 10);
  const model::Trace& trace = b.Finish();
  const Index index(trace);
  const uint32_t sync = b.HostRow("cudaStreamSynchronize");
  EXPECT_EQ(CallerText(index, sync), "aten::item, train.py(10): step");
  EXPECT_EQ(FindCaller(index, sync).op, b.HostRow("aten::_local_scalar_dense"));
  EXPECT_EQ(FindCaller(index, sync).annotation, kNone);
  EXPECT_EQ(InnermostAt(trace, 0, 250), sync);
  EXPECT_EQ(InnermostAt(trace, 0, 300), b.HostRow("aten::_local_scalar_dense"));
  EXPECT_EQ(InnermostAt(trace, 0, 999), b.HostRow("ProfilerStep#1"));
  EXPECT_EQ(InnermostAt(trace, 0, 1000), kNone);
  EXPECT_EQ(InnermostAt(trace, 0, -1), kNone);
  EXPECT_EQ(InnermostAt(trace, 77, 5), kNone);
  EXPECT_EQ(Chain(trace, sync).size(), 6U);
}

TEST(CallTree, SegmentsPartitionAnyWindowAndAgreeWithPointQueries) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    TraceBuilder b;
    const int count = 1 + static_cast<int>(random() % 30);
    for (int i = 0; i < count; ++i) b.AddOp("op", random() % 100, random() % 40);
    const model::Trace& trace = b.Finish();
    const int64_t begin = static_cast<int64_t>(random() % 120) - 10, end = begin + random() % 100;
    int64_t at = begin;
    ForEachSegment(trace, 0, begin, end, [&](const Segment& segment) {
      EXPECT_EQ(segment.begin_ns, at);
      EXPECT_LT(segment.begin_ns, segment.end_ns);
      for (int64_t t = segment.begin_ns; t < segment.end_ns; ++t) EXPECT_EQ(InnermostAt(trace, 0, t), segment.row) << t;
      at = segment.end_ns;
    });
    EXPECT_EQ(at, std::max(begin, end));
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(CallTree, AWalkerMovesOnThroughEqualAndRepeatedMoments) {
  std::mt19937 random(8);
  for (int round = 0; round < 200; ++round) {
    TraceBuilder b;
    for (int i = 0; i < 40; ++i) b.AddOp("op", random() % 100, random() % 40);
    const model::Trace& trace = b.Finish();
    SegmentWalker walker(trace, 0);
    for (int64_t begin = -5; begin < 150; begin += random() % 4) {
      int64_t at = begin;
      walker.Walk(begin, begin + random() % 9, [&](const Segment& segment) {
        EXPECT_EQ(segment.begin_ns, at);
        at = segment.end_ns;
        for (int64_t t = segment.begin_ns; t < segment.end_ns; ++t) EXPECT_EQ(InnermostAt(trace, 0, t), segment.row);
      });
    }
    if (HasFailure()) FAIL() << "round " << round;
  }
}

// Deep nests whose rows end one by one while the device runs dry in between: must stay linear.
TEST(CallTree, DeepNestsAreWalkedOnce) {
  TraceBuilder b;
  constexpr int kDepth = 50'000;
  for (int i = 0; i < kDepth; ++i) b.AddOp("op", i, 4 * kDepth - 2 * i);
  const model::Trace& trace = b.Finish();
  SegmentWalker walker(trace, 0);
  uint64_t segments = 0;
  for (int64_t t = 0; t < 4 * kDepth; ++t) walker.Walk(t, t + 1, [&](const Segment&) { ++segments; });
  EXPECT_EQ(segments, 4U * kDepth);
}

}  // namespace
}  // namespace warpscope::analysis
