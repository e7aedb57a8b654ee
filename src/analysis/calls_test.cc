#include "analysis/calls.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

TEST(Calls, ByNameWithoutNestedDriverCalls) {
  model::testing::TraceBuilder b;
  b.Launch("k", 0, 100, 200, 10);
  b.Launch("k", 300, 300, 700, 10);
  b.AddHost(model::HostKind::kDriverCall, "cuLaunchKernel", 310, 200);
  b.AddCall("cudaMalloc", 1000, 50);
  b.UseThread(2).AddCall("cudaMalloc", 1000, 150);
  const Index index(b.Finish());
  const auto rows = SummarizeCalls(index);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(index.trace().Text(rows[0].name), "cudaLaunchKernel");
  EXPECT_EQ(rows[0].time.count, 2U);
  EXPECT_EQ(rows[0].time.sum_ns, 400);
  EXPECT_EQ(rows[0].device_rows, 2U);
  EXPECT_EQ(rows[1].threads, 2U);
  EXPECT_EQ(index.trace().host.dur_ns[rows[1].longest_row], 150);
  EXPECT_NEAR(rows[1].share_of_calls_pct, 100.0 * 200 / 600, 1e-9);
}

}  // namespace
}  // namespace warpscope::analysis
