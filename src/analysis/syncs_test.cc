#include "analysis/syncs.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::CopyKind;
using model::MemoryKind;
using model::testing::TraceBuilder;

constexpr int64_t kUs = 1000, kMs = 1'000'000;

// 40 ms of kernels, then a copy whose call lasts 40 ms while the copy takes 3 us: the wait costs nothing by itself.
TEST(Syncs, WaitingForQueuedWorkIsNotTheCost) {
  TraceBuilder b;
  for (int i = 0; i < 40; ++i) b.Launch("gemm", i * 10 * kUs, 5 * kUs, 500 * kUs + i * kMs, kMs);
  b.LaunchCopy(CopyKind::kDeviceToHost, MemoryKind::kDevice, MemoryKind::kPageable, 4096, 400 * kUs, 40'110 * kUs,
               40'500 * kUs, 3 * kUs);
  b.Launch("gemm", 40'520 * kUs, 5 * kUs, 40'530 * kUs, kMs);
  const SyncSummary syncs = SummarizeSyncs(Index(b.Finish()));
  ASSERT_EQ(syncs.calls.size(), 1U);
  EXPECT_EQ(syncs.calls[0].kind, SyncCallKind::kCopy);
  EXPECT_NEAR(static_cast<double>(syncs.calls[0].waited_ns), 40.003e6, 1e3);
  EXPECT_EQ(syncs.calls[0].idle_after_ns, 27 * kUs);
  EXPECT_EQ(syncs.caused_idle_ns, 27 * kUs);
}

// 20 steps of 400 ms device work; each ends in a wait after which the device is idle for 6 ms.
TEST(Syncs, CostIsTheIdleTimeAfterIt) {
  TraceBuilder b;
  int64_t at = 0;
  for (int step = 0; step < 20; ++step) {
    b.AddPython("train.py(9): step", at, 406 * kMs);
    b.Launch("work", at + 10 * kUs, 5 * kUs, at + 20 * kUs, 400 * kMs);
    b.AddOp("aten::item", at + kMs, 399 * kMs + 40 * kUs);
    b.AddCall("cudaStreamSynchronize", at + kMs, 399 * kMs + 30 * kUs);
    at += 406 * kMs;
  }
  const SyncSummary syncs = SummarizeSyncs(Index(b.Finish()));
  ASSERT_EQ(syncs.groups.size(), 1U);
  EXPECT_EQ(syncs.groups[0].count, 20U);
  EXPECT_EQ(syncs.groups[0].caller, "aten::item, train.py(9): step");
  EXPECT_FALSE(syncs.groups[0].recorder);
  // 19 gaps: nothing follows the last one. 1.5 % of the run, not 98 %.
  EXPECT_NEAR(static_cast<double>(syncs.caused_idle_ns), 19 * 6e6, 19 * 50e3);
  EXPECT_GT(syncs.waited_ns, 19 * 398 * kMs);
}

TEST(Syncs, AWaitThatFoundNothingCausesNoMoreThanItsOwnLength) {
  TraceBuilder b;
  b.Launch("k", 0, 5 * kUs, 10 * kUs, 10 * kUs);
  b.AddCall("cudaDeviceSynchronize", 50 * kUs, 3 * kUs);
  b.Launch("k", 10 * kMs, 5 * kUs, 10 * kMs + 8 * kUs, 10 * kUs);
  const SyncSummary syncs = SummarizeSyncs(Index(b.Finish()));
  ASSERT_EQ(syncs.calls.size(), 1U);
  EXPECT_EQ(syncs.calls[0].waited_ns, 0);
  EXPECT_EQ(syncs.calls[0].caused_idle_ns, 3 * kUs);
}

TEST(Syncs, HostWorkThatCouldRunMeanwhileLimitsTheCost) {
  TraceBuilder b;
  b.Launch("k", 0, 5 * kUs, 10 * kUs, 5 * kMs);
  b.AddCall("cudaStreamSynchronize", 20 * kUs, 5 * kMs);        // returns at 5.02 ms
  b.Launch("k", 205 * kMs, 5 * kUs, 205 * kMs + 8 * kUs, kMs);  // after 200 ms of loading
  const SyncSummary syncs = SummarizeSyncs(Index(b.Finish()));
  EXPECT_GT(syncs.calls[0].idle_after_ns, 199 * kMs);
  EXPECT_EQ(syncs.calls[0].caused_idle_ns, 5 * kMs);
}

TEST(Syncs, OtherQueuedWorkHidesTheWait) {
  TraceBuilder b;
  b.Launch("a", 0, 5 * kUs, 10 * kUs, kMs, 7);
  b.Launch("b", 10 * kUs, 5 * kUs, 20 * kUs, 5 * kMs, 8);
  b.AddCall("cudaStreamSynchronize", 20 * kUs, kMs);  // stream 7 only
  b.Launch("c", 2 * kMs, 5 * kUs, 6 * kMs, kMs, 7);
  const SyncSummary syncs = SummarizeSyncs(Index(b.Finish()));
  EXPECT_LE(syncs.calls[0].caused_idle_ns, 980 * kUs);
  EXPECT_NEAR(static_cast<double>(syncs.calls[0].waited_ns), 990e3, 1e3);
}

TEST(Syncs, PollingIsOneWaitAndRecorderIsNotTheUsers) {
  TraceBuilder b;
  b.Launch("k", 0, 5 * kUs, 10 * kUs, kMs);
  for (int i = 0; i < 100; ++i) b.AddCall("cudaEventQuery", (10 + i * 10) * kUs, kUs);
  b.Launch("k", 1100 * kUs, 5 * kUs, 1110 * kUs, kMs);
  b.AddCall("cudaDeviceSynchronize", 1200 * kUs, kMs);
  const SyncSummary syncs = SummarizeSyncs(Index(b.Finish()));
  ASSERT_EQ(syncs.calls.size(), 2U);
  EXPECT_EQ(syncs.calls[0].kind, SyncCallKind::kPolling);
  EXPECT_EQ(syncs.calls[0].polls, 100U);
  EXPECT_EQ(syncs.calls[0].caused_idle_ns, 100 * kUs);
  EXPECT_TRUE(syncs.groups[1].recorder);
}

// Each step ends in a wait, the last one too, though nothing follows it. A wait behind the last step is the recorder's.
TEST(Syncs, TheLastStepsWaitIsTheProgramsIfTheOthersEndSo) {
  for (const bool drained : {false, true}) {
    TraceBuilder b;
    for (int64_t i = 0; i < 4; ++i) {
      b.AddAnnotation("ProfilerStep#" + std::to_string(i), i * 3 * kMs, 3 * kMs - 1);
      b.Launch("k", i * 3 * kMs + 10 * kUs, 5 * kUs, i * 3 * kMs + 20 * kUs, kMs);
      b.AddCall("cudaDeviceSynchronize", i * 3 * kMs + 30 * kUs, kMs);
    }
    if (drained) b.AddCall("cudaDeviceSynchronize", 12 * kMs + 10 * kUs, 5 * kUs);
    const SyncSummary syncs = SummarizeSyncs(Index(b.Finish()));
    ASSERT_EQ(syncs.groups.size(), drained ? 2U : 1U);
    EXPECT_EQ(syncs.groups[0].count, 4U);
    EXPECT_FALSE(syncs.groups[0].recorder);
    EXPECT_EQ(syncs.groups.back().recorder, drained);
  }
}

TEST(Syncs, TwoWaitsBeforeOneLaunchShareTheIdleTime) {
  TraceBuilder b;
  b.Launch("k", 0, 5 * kUs, 10 * kUs, kMs);
  b.LaunchCopy(CopyKind::kDeviceToHost, MemoryKind::kDevice, MemoryKind::kPageable, 64, 20 * kUs, 1000 * kUs,
               1010 * kUs, 2 * kUs);
  b.AddCall("cudaStreamSynchronize", 1021 * kUs, 4 * kUs);
  b.Launch("k", 1100 * kUs, 5 * kUs, 1112 * kUs, kMs);
  const SyncSummary syncs = SummarizeSyncs(Index(b.Finish()));
  ASSERT_EQ(syncs.calls.size(), 2U);
  EXPECT_EQ(syncs.caused_idle_ns, 100 * kUs);
}

}  // namespace
}  // namespace warpscope::analysis
