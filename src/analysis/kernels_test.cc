#include "analysis/kernels.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::testing::TraceBuilder;

model::Device H100() {
  model::Device device;
  device.cc_major = 9;
  device.cc_minor = 0;
  device.sm_count = 132;
  return device;
}

TEST(Kernels, SumsGeometryAndWaves) {
  TraceBuilder b;
  b.device() = H100();
  b.AddKernel("gemm", 0, 100, model::kNoId, 7, 0, TraceBuilder::Config(1188, 256, 64, 0));
  b.AddKernel("gemm", 200, 300, model::kNoId, 7, 0, TraceBuilder::Config(1188, 256, 64, 0));
  b.AddKernel("gemm", 600, 20, model::kNoId, 7, 0, TraceBuilder::Config(4, 64, 32, 0));
  b.AddKernel("tiny", 700, 10);
  b.AddMemset(4, 800, 70);
  const Index index(b.Finish());
  const auto rows = SummarizeKernels(index);
  ASSERT_EQ(rows.size(), 2U);
  const KernelRow& row = rows[0];
  EXPECT_EQ(row.count, 3U);
  EXPECT_EQ(row.total_ns, 420);
  EXPECT_DOUBLE_EQ(row.median_ns, 100);
  EXPECT_EQ(row.min_ns, 20);
  EXPECT_EQ(row.max_ns, 300);
  EXPECT_NEAR(row.share_of_kernels_pct, 100.0 * 420 / 430, 1e-9);
  EXPECT_NEAR(*row.share_of_busy_pct, 100.0 * 420 / 500, 1e-9);
  EXPECT_EQ(row.config_count, 2U);
  EXPECT_EQ(row.occupancy->active_blocks_per_sm, 4U);
  EXPECT_DOUBLE_EQ(*row.waves_per_sm, 2.25);
  EXPECT_DOUBLE_EQ(*row.tail_efficiency_ratio, 0.75);
  EXPECT_EQ(index.trace().gpu.dur_ns[row.longest_row], 300);
  EXPECT_EQ(SummarizeKernels(index, {}, {.by_geometry = true}).size(), 3U);
}

TEST(Kernels, UnknownDeviceGivesNoOccupancy) {
  TraceBuilder b;
  b.AddKernel("k", 0, 100);
  const auto rows = SummarizeKernels(Index(b.Finish()));
  EXPECT_FALSE(rows[0].occupancy);
  EXPECT_FALSE(rows[0].waves_per_sm);
  EXPECT_TRUE(rows[0].config);
}

TEST(Kernels, CategoriesAndWindow) {
  TraceBuilder b;
  b.AddKernel("volta_sgemm_128x64_nn", 0, 100)
      .AddKernel("ncclDevKernel_AllReduce", 200, 50)
      .AddKernel("volta_sgemm_128x64_nn", 900, 100);
  Scope scope;
  scope.window = {0, 500};
  const auto rows = SummarizeKernelCategories(Index(b.Finish()), scope);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].category, KernelCategory::kGemm);
  EXPECT_EQ(rows[0].count, 1U);
}

TEST(Kernels, FrequentSequencesWithoutTheirRotations) {
  TraceBuilder b;
  int64_t at = 0;
  for (int i = 0; i < 10; ++i) {
    for (const char* name : {"a", "b", "c"}) {
      b.AddKernel(name, at, 10);
      at += 15;
    }
  }
  const auto rows = FrequentKernelSequences(Index(b.Finish()), {}, 3);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].count, 10U);
  EXPECT_EQ(rows[0].total_ns, 300);
  EXPECT_EQ(rows[0].idle_ns, 100);
}

}  // namespace
}  // namespace warpscope::analysis
