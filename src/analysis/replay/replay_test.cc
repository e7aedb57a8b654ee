// The replay core on hand-made graphs whose answers are known exactly.
#include "analysis/replay/replay.h"

#include <gtest/gtest.h>

#include "analysis/replay/testing/pipeline.h"

namespace warpscope::analysis::replay {
namespace {

using testing::Pipeline;

// n launches of host cost h, kernels of d, distance g, latency L, return time w.
constexpr int64_t kHost = 10, kGap = 2, kLatency = 3, kReturn = 5;

int64_t LaunchLoop(int64_t n, int64_t kernel, int64_t host, bool sync_each) {
  Pipeline p({.gap = kGap, .latency = kLatency, .return_lag = kReturn});
  const uint32_t thread = p.Thread(), stream = p.Stream();
  for (int64_t i = 0; i < n; ++i) {
    p.Launch(thread, host, stream, kernel);
    if (sync_each) p.Sync(thread, 0, {stream});
  }
  if (!sync_each) p.Sync(thread, 0, {stream});
  return p.Total();
}

TEST(Replay, HostBoundLoop) { EXPECT_EQ(LaunchLoop(7, 4, kHost, false), 7 * kHost + kLatency + 4 + kReturn); }

TEST(Replay, DeviceBoundLoop) {
  EXPECT_EQ(LaunchLoop(7, 40, kHost, false), kHost + kLatency + 7 * 40 + 6 * kGap + kReturn);
}

TEST(Replay, SyncAfterEachLaunch) {
  EXPECT_EQ(LaunchLoop(7, 40, kHost, true), 7 * (kHost + kLatency + 40 + kReturn));
}

}  // namespace
}  // namespace warpscope::analysis::replay
