#include "rules/where.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::rules {
namespace {

using model::testing::TraceBuilder;

TEST(Where, TheWorkThatTheChangeShortensMost) {
  TraceBuilder b;
  b.Launch("a", 0, 10, 100, 500);
  b.Launch("b", 20, 10, 700, 400);
  b.Launch("c", 40, 10, 1200, 10);
  b.Finish();
  Finding finding;
  finding.change.SetGpuDuration(b.GpuRow("a"), 450);
  finding.change.SetGpuDuration(b.GpuRow("b"), 100);
  const auto found = WhereOf(b.trace(), finding);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].begin_ns, 700);
  EXPECT_EQ(found[0].end_ns, 1100);
  EXPECT_EQ(found[0].gpu_row, b.GpuRow("b"));
  EXPECT_EQ(found[0].weight_ns, 300);
}

TEST(Where, HostTimeCountsWhereTheDeviceStoodStill) {
  TraceBuilder b;
  b.Launch("k", 0, 10, 100, 5000);
  b.Launch("k", 20, 10, 9000, 100);
  b.Finish();
  Finding finding;
  const uint32_t thread = b.ThreadRow(1);
  finding.change.OffloadHost(thread, 200, 4000);   // behind device work
  finding.change.OffloadHost(thread, 6000, 7000);  // before an idle device
  const auto found = WhereOf(b.trace(), finding);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].begin_ns, 6000);
  EXPECT_EQ(found[0].thread, thread);
  EXPECT_EQ(found[1].weight_ns, 0);
}

TEST(Where, MergedLaunchesAreOnePlace) {
  TraceBuilder b;
  b.Launch("k", 0, 10, 100, 10);
  b.Launch("k", 20, 10, 200, 10);
  b.Launch("k", 40, 10, 300, 10);
  b.Finish();
  Finding finding;
  finding.change.MergeLaunches({0, 1, 2}, 10, 1);
  const auto found = WhereOf(b.trace(), finding);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].begin_ns, 100);
  EXPECT_EQ(found[0].end_ns, 310);
  EXPECT_EQ(found[0].weight_ns, 180);
}

TEST(Where, WithoutAChangeTheSubjectIsLookedFor) {
  TraceBuilder b;
  b.Launch("void f<int>(int*)", 0, 10, 100, 10);
  b.Launch("void f<int>(int*)", 20, 10, 200, 90);
  b.AddOp("aten::item", 400, 50);
  b.Finish();
  Finding finding;
  finding.subject = "f<int>";
  auto found = WhereOf(b.trace(), finding);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].begin_ns, 200);
  finding.subject = "aten::item, train.py(4): step";
  found = WhereOf(b.trace(), finding);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].begin_ns, 400);
  finding.subject = "something else";
  EXPECT_TRUE(WhereOf(b.trace(), finding).empty());
}

}  // namespace
}  // namespace warpscope::rules
