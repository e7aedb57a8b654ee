#include "model/testing/trace_builder.h"

#include <gtest/gtest.h>

namespace warpscope::model::testing {
namespace {

TEST(TraceBuilder, LinksNestsAndSorts) {
  TraceBuilder b;
  b.AddOp("late", 5000, 100);
  b.AddOp("aten::mul", 0, 1000, "[[2, 3]]");
  const uint64_t id = b.Launch("mul_kernel", 200, 300, 600, 50);
  const Trace& trace = b.Finish();
  const uint32_t kernel = b.GpuRowOf(id);
  ASSERT_NE(kernel, kNone);
  const uint32_t call = trace.gpu.call[kernel];
  ASSERT_NE(call, kNone);
  EXPECT_EQ(trace.HostName(call), "cudaLaunchKernel");
  EXPECT_EQ(trace.host.parent[call], b.HostRow("aten::mul"));
  EXPECT_EQ(b.HostRow("late"), 2U);
  EXPECT_EQ(trace.Launch(kernel)->block[0], 256U);
  EXPECT_TRUE(trace.devices[0].used);
}

TEST(TraceBuilder, ProcessesAreLinkDomainsOfTheirOwn) {
  TraceBuilder b;
  b.AddCall("cudaLaunchKernel", 0, 10, 7);
  b.AddKernel("first", 20, 5, 7);
  b.UseProcess(b.AddProcess(200, 1)).UseThread(1);
  b.AddCall("cudaLaunchKernel", 100, 10, 7);
  b.AddKernel("second", 120, 5, 7);
  const Trace& trace = b.Finish();
  EXPECT_EQ(trace.host.start_ns[trace.gpu.call[b.GpuRow("first")]], 0);
  EXPECT_EQ(trace.host.start_ns[trace.gpu.call[b.GpuRow("second")]], 100);
}

}  // namespace
}  // namespace warpscope::model::testing
