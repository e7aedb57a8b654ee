#include "analysis/copies.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::CopyKind;
using model::MemoryKind;
using model::testing::TraceBuilder;

constexpr int64_t kUs = 1000;

TEST(Copies, BandwidthIgnoresWhatHasNoTimeOrSize) {
  TraceBuilder b;
  const auto copy = [&](std::optional<uint64_t> bytes, int64_t start, int64_t dur) {
    b.AddCopy(CopyKind::kHostToDevice, MemoryKind::kPinned, MemoryKind::kDevice, bytes, start, dur);
  };
  copy(50'000'000, 0, 1'000'000);          // 50 GB/s
  copy(25'000'000, 2'000'000, 1'000'000);  // 25 GB/s
  copy(200, 4'000'000, 0);
  copy(std::nullopt, 5'000'000, 1000);
  b.AddMemset(64, 6'000'000, 500);
  const auto rows = SummarizeCopies(Index(b.Finish()));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].count, 4U);
  EXPECT_EQ(rows[0].sized_count, 3U);
  EXPECT_EQ(*rows[0].bytes, 75'000'200U);
  EXPECT_DOUBLE_EQ(*rows[0].bandwidth_bytes_per_s, 37.5e9);
  EXPECT_DOUBLE_EQ(*rows[0].best_bandwidth_bytes_per_s, 50e9);
  EXPECT_DOUBLE_EQ(*rows[0].link_use_pct, 75);
  EXPECT_EQ(rows[0].small_count, 1U);
  EXPECT_TRUE(rows[1].is_memset);
  EXPECT_FALSE(rows[1].link_use_pct);
}

TEST(Copies, AsynchronousCopiesThatAreNot) {
  TraceBuilder b;
  b.LaunchCopy(CopyKind::kDeviceToHost, MemoryKind::kDevice, MemoryKind::kPageable, 1 << 20, 0, 300 * kUs, 20 * kUs,
               275 * kUs);
  b.LaunchCopy(CopyKind::kDeviceToHost, MemoryKind::kDevice, MemoryKind::kPinned, 1 << 20, 400 * kUs, 5 * kUs,
               410 * kUs, 30 * kUs);
  // item(): pinned, but followed by a wait.
  b.LaunchCopy(CopyKind::kDeviceToHost, MemoryKind::kDevice, MemoryKind::kPinned, 4, 600 * kUs, 5 * kUs, 610 * kUs,
               2 * kUs);
  b.AddCall("cudaStreamSynchronize", 606 * kUs, 15 * kUs);
  b.LaunchCopy(CopyKind::kDeviceToDevice, MemoryKind::kDevice, MemoryKind::kDevice, 4, 700 * kUs, 50 * kUs, 705 * kUs,
               2 * kUs);
  const auto rows = SummarizeCopies(Index(b.Finish()));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].dst, MemoryKind::kPageable);
  EXPECT_EQ(rows[0].synchronous_count, 1U);
  EXPECT_EQ(rows[0].host_blocked_ns, 300 * kUs);
  EXPECT_EQ(rows[1].dst, MemoryKind::kPinned);
  EXPECT_EQ(rows[1].synchronous_count, 1U);
  EXPECT_EQ(rows[1].host_blocked_ns, 20 * kUs);
  EXPECT_EQ(rows[2].synchronous_count, 0U);
}

TEST(Copies, OverlapWithKernels) {
  TraceBuilder b;
  b.AddKernel("k", 0, 100).AddCopy(CopyKind::kHostToDevice, MemoryKind::kPinned, MemoryKind::kDevice, 1, 50, 100, 1, 8);
  const auto rows = SummarizeCopies(Index(b.Finish()));
  EXPECT_EQ(rows[0].overlapped_ns, 50);
  EXPECT_DOUBLE_EQ(rows[0].overlapped_pct, 50);
}

TEST(Copies, ByCaller) {
  TraceBuilder b;
  b.AddOp("aten::to", 0, 50 * kUs);
  b.LaunchCopy(CopyKind::kHostToDevice, MemoryKind::kPageable, MemoryKind::kDevice, 100, 10, 20, 40, 5);
  b.AddOp("aten::copy_", 100 * kUs, 50 * kUs);
  b.LaunchCopy(CopyKind::kHostToDevice, MemoryKind::kPageable, MemoryKind::kDevice, 100, 110 * kUs, 20, 120 * kUs, 50);
  const auto rows = CopiesByCaller(Index(b.Finish()));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].caller, "aten::copy_");
  EXPECT_EQ(rows[1].caller, "aten::to");
}

}  // namespace
}  // namespace warpscope::analysis
