#include "analysis/device_time.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::CopyKind;
using model::MemoryKind;
using model::testing::TraceBuilder;

TEST(DeviceTime, UnionsOverlapsAndStreams) {
  TraceBuilder b;
  b.AddKernel("gemm", 100, 100);                                                                    // [100, 200)
  b.AddKernel("gemm", 150, 100, model::kNoId, 8);                                                   // [150, 250)
  b.AddCopy(CopyKind::kHostToDevice, MemoryKind::kPinned, MemoryKind::kDevice, 10, 240, 60, 1, 9);  // [240, 300)
  b.AddKernel("ncclDevKernel_AllReduce", 280, 40, 2, 10);                                           // [280, 320)
  b.AddMemset(8, 400, 10);
  const Index index(b.Finish());
  const auto times = DeviceTimes(index);
  ASSERT_EQ(times.size(), 1U);
  const DeviceTime& t = times[0];
  EXPECT_EQ(t.busy_ns, 230);
  EXPECT_EQ(t.idle_ns, 80);
  EXPECT_EQ(t.compute_ns, 150);
  EXPECT_EQ(t.copy_ns, 60);
  EXPECT_EQ(t.compute_copy_overlap_ns, 10);
  EXPECT_EQ(t.kernel_copy_overlap_ns, 30);
  EXPECT_EQ(t.communication_ns, 40);
  EXPECT_EQ(t.exposed_communication_ns, 40);
  EXPECT_EQ(t.exposed_copy_ns, 30);
  EXPECT_EQ(t.streams.size(), 4U);
  EXPECT_EQ(t.streams[0].busy_ns, 110);
  ASSERT_EQ(t.concurrency_ns.size(), 3U);
  EXPECT_EQ(t.concurrency_ns[0], 80);
  EXPECT_EQ(t.concurrency_ns[2], 80);
}

TEST(DeviceTime, ClipsToTheWindow) {
  TraceBuilder b;
  b.AddKernel("a", 0, 100);
  b.AddKernel("b", 200, 100);
  const Index index(b.Finish());
  Scope scope;
  scope.window = {50, 250};
  const auto times = DeviceTimes(index, scope);
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].busy_ns, 100);
  EXPECT_EQ(times[0].idle_ns, 100);
  scope.window = {120, 180};
  EXPECT_TRUE(DeviceTimes(index, scope).empty());
}

TEST(DeviceTime, RandomRowsAgreeWithCounting) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    TraceBuilder b;
    std::map<int64_t, int> open;
    const int count = 1 + static_cast<int>(random() % 25);
    for (int i = 0; i < count; ++i) {
      const int64_t start = random() % 100, dur = random() % 30;
      b.AddKernel("k", start, dur, model::kNoId, random() % 3);
      for (int64_t t = start; t < start + dur; ++t) ++open[t];
    }
    const Index index(b.Finish());
    const DeviceTime t = DeviceTimes(index)[0];
    EXPECT_EQ(t.busy_ns, static_cast<int64_t>(open.size()));
    EXPECT_EQ(std::accumulate(t.concurrency_ns.begin(), t.concurrency_ns.end(), int64_t{0}), t.end_ns - t.begin_ns);
    EXPECT_EQ(t.concurrency_ns[0], t.idle_ns);
    if (HasFailure()) FAIL() << "round " << round;
  }
}

}  // namespace
}  // namespace warpscope::analysis
