#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::model {
namespace {

using testing::TraceBuilder;

TEST(Finish, RecordsWrittenTwiceAreDroppedOnce) {
  TraceBuilder b;
  b.AddCall("cudaLaunchKernel", 0, 10, 1).AddCall("cudaLaunchKernel", 20, 10, 2);
  b.AddKernel("a", 100, 50, 1).AddKernel("b", 150, 50, 2).AddKernel("a", 100, 50, 1);
  b.AddCollectiveOfLastKernel("allreduce", "0", 1);
  const Trace& trace = b.Finish();
  EXPECT_EQ(trace.gpu.size(), 2U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kDuplicateRecord), 1U);
  EXPECT_TRUE(trace.collectives.empty());  // it described the copy that is gone
  EXPECT_EQ(trace.GpuName(trace.stream_rows[trace.gpu.stream[0]][1]), "b");
}

TEST(Finish, LookAlikesAreKept) {
  TraceBuilder b;
  b.AddKernel("no time", 100, 0, 1).AddKernel("no time", 100, 0, 1);  // whole microseconds: too coarse to tell
  b.AddKernel("no id", 200, 50).AddKernel("no id", 200, 50);
  b.AddKernel("other stream", 300, 50, 2, 7).AddKernel("other stream", 300, 50, 2, 8);
  b.AddKernel("longer", 400, 50, 3).AddKernel("longer", 400, 51, 3);
  const Trace& trace = b.Finish();
  EXPECT_EQ(trace.gpu.size(), 8U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kDuplicateRecord), 0U);
}

TEST(Finish, ManyEqualStartsCostLinearTime) {
  TraceBuilder b;
  for (int i = 0; i < 100000; ++i) b.AddKernel("k", 100, 1 + i, 1);
  EXPECT_EQ(b.Finish().gpu.size(), 100000U);
}

TEST(Finish, LinksManyRecordsToOneGraphLaunchAndCountsLaunchesWithout) {
  TraceBuilder b;
  b.AddCall("cudaGraphLaunch", 0, 10, 1).AddCall("cudaGraphLaunch", 100, 10, 2).AddCall("cudaLaunchKernel", 200, 10, 3);
  b.AddKernel("node", 20, 5, 1).AddKernel("node", 30, 5, 1).AddKernel("stray", 90, 5, 9);
  const Trace& trace = b.Finish();
  EXPECT_EQ(trace.gpu.call[0], trace.gpu.call[1]);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kGraphUnderRecorded), 1U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kLaunchWithoutKernel), 1U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kUnmatchedKernel), 1U);
}

TEST(Finish, LaunchesThatAGraphCapturesLackNoWork) {
  TraceBuilder b;
  b.AddCall("cudaStreamBeginCapture", 0, 10, 1)
      .AddCall("cudaLaunchKernel", 20, 10, 2)
      .AddCall("cudaStreamEndCapture", 40, 10, 3);
  b.AddCall("cudaLaunchKernel", 60, 10, 4).AddCall("cudaGraphLaunch", 80, 10, 5).AddKernel("node", 95, 5, 5);
  b.UseThread(2).AddCall("cudaLaunchKernel", 30, 10, 6);
  EXPECT_EQ(b.Finish().ledger.Count(LedgerCode::kLaunchWithoutKernel), 2U);
}

// ROCm with HSA tracing: the kernel names the call that rang the doorbell, inside hipLaunchKernel.
TEST(Finish, WorkOfAnInnerCallBelongsToTheLaunchAroundIt) {
  TraceBuilder b;
  b.AddCall("hipLaunchKernel", 0, 100, 1).AddHost(HostKind::kDriverCall, "hsa_signal_store_screlease", 50, 10, 2);
  b.AddHost(HostKind::kDriverCall, "hsa_amd_memory_async_copy", 200, 10, 3);
  b.AddKernel("k", 55, 20, 2).AddKernel("blit", 220, 20, 3);
  const Trace& trace = b.Finish();
  EXPECT_EQ(trace.HostName(trace.gpu.call[0]), "hipLaunchKernel");
  EXPECT_EQ(trace.HostName(trace.gpu.call[1]), "hsa_amd_memory_async_copy");
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kLaunchWithoutKernel), 0U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kKernelBeforeLaunch), 0U);
}

}  // namespace
}  // namespace warpscope::model
