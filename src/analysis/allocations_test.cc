#include "analysis/allocations.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::testing::TraceBuilder;

TEST(Allocations, LiveFromAllocationToReleaseWithTheStackAround) {
  TraceBuilder builder;
  builder.AddPython("/home/u/train.py(5): step", 0, 1000);
  builder.AddOp("aten::linear", 100, 100);
  builder.AddMemory(150, 64, 0x10).AddMemory(300, 32, 0x20).AddMemory(400, -64, 0x10);
  const Index index(builder.Finish());
  const Allocations found = FindAllocations(index);
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_TRUE(found.has_stacks);
  EXPECT_EQ(found.rows[0].begin_ns, 150);
  EXPECT_EQ(found.rows[0].end_ns, 400);
  EXPECT_EQ(found.rows[1].end_ns, kNotFreed);
  const auto held = HoldersAt(index, found, 0, 350);
  ASSERT_EQ(held.size(), 2U);
  EXPECT_EQ(held[0].bytes, 64);
  EXPECT_EQ(held[0].where, "u/train.py(5): step > linear");
  EXPECT_EQ(held[0].stack, "aten::linear < /home/u/train.py(5): step");
  EXPECT_EQ(held[1].where, "u/train.py(5): step");
  EXPECT_EQ(HoldersAt(index, found, 0, 400).size(), 1U);  // released then
  EXPECT_TRUE(HoldersAt(index, found, 0, 149).empty());
}

// What is in use at a moment sums up to the level, however much of it is older than the recording.
TEST(Allocations, SumUpToTheLevel) {
  TraceBuilder builder;
  builder.AddOp("aten::add", 0, 1000);
  builder.AddMemory(100, 50, 0x1, 0, 1050);   // 1000 were there
  builder.AddMemory(200, -300, 0x2, 0, 750);  // of which this is one block
  builder.AddMemory(300, -50, 0x1, 0, 700);
  const Index index(builder.Finish());
  const Allocations found = FindAllocations(index);
  const auto level = [&](int64_t time_ns) {
    int64_t bytes = 0;
    for (const Holder& holder : HoldersAt(index, found, 0, time_ns)) bytes += holder.bytes;
    return bytes;
  };
  EXPECT_EQ(level(150), 1050);
  EXPECT_EQ(level(250), 750);
  EXPECT_EQ(level(300), 700);
  const auto held = HoldersAt(index, found, 0, 150);
  ASSERT_EQ(held.size(), 2U);
  EXPECT_EQ(held[0].count, 2U);
  EXPECT_TRUE(held[0].from_before);
  EXPECT_EQ(held[1].where, "add");
}

TEST(Allocations, AnAddressTwiceEndsTheFirst) {
  TraceBuilder builder;
  builder.AddOp("aten::add", 0, 1000);
  builder.AddMemory(100, 8, 0x1).AddMemory(200, 16, 0x1);
  const Index index(builder.Finish());
  const Allocations found = FindAllocations(index);
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[0].end_ns, 200);
}

}  // namespace
}  // namespace warpscope::analysis
