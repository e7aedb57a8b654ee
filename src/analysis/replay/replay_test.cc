// The replay core on hand-made programs whose answers are known exactly (docs/whatif.md). Integers throughout:
// n launches, host h each (gap and call), kernel d, distance g, latency L, return w.
#include "analysis/replay/replay.h"

#include <gtest/gtest.h>

#include "analysis/replay/testing/pipeline.h"

namespace warpscope::analysis::replay {
namespace {

using testing::Pipeline;

constexpr int64_t kHost = 10, kGap = 2, kLatency = 3, kReturn = 5;
constexpr testing::PipelineOptions kOptions{.gap = kGap, .latency = kLatency, .return_lag = kReturn};

int64_t LaunchLoop(int64_t n, int64_t kernel, bool sync_each) {
  Pipeline p(kOptions);
  const uint32_t thread = p.Thread(), stream = p.Stream();
  for (int64_t i = 0; i < n; ++i) {
    p.Launch(thread, kHost, stream, kernel);
    if (sync_each) p.Sync(thread, 0, {stream});
  }
  if (!sync_each) p.Sync(thread, 0, {stream});
  return p.Total();
}

TEST(Replay, HostBoundLoop) { EXPECT_EQ(LaunchLoop(7, 4, false), 7 * kHost + kLatency + 4 + kReturn); }

TEST(Replay, DeviceBoundLoop) { EXPECT_EQ(LaunchLoop(7, 40, false), kHost + kLatency + 7 * 40 + 6 * kGap + kReturn); }

TEST(Replay, SyncAfterEachLaunch) { EXPECT_EQ(LaunchLoop(7, 40, true), 7 * (kHost + kLatency + 40 + kReturn)); }

TEST(Replay, FullQueueHoldsTheHost) {
  constexpr uint32_t kSlots = 4;
  constexpr int64_t kLaunches = 11, kKernel = 40;
  Pipeline p({.gap = kGap, .latency = kLatency, .return_lag = kReturn, .queue_slots = kSlots});
  const uint32_t thread = p.Thread(), stream = p.Stream();
  std::vector<uint32_t> kernels;
  for (int64_t i = 0; i < kLaunches; ++i) kernels.push_back(p.Launch(thread, kHost, stream, kKernel));
  p.Total();
  for (size_t i = kSlots; i < kernels.size(); ++i) {
    EXPECT_EQ(p.end[p.graph.issue[p.place[kernels[i]]]], p.EndOf(kernels[i - kSlots]) + kHost);
  }
}

int64_t TwoStreams(bool with_event) {
  Pipeline p({.gap = 0, .latency = 0, .return_lag = 0});
  const uint32_t thread = p.Thread(), a = p.Stream(), b = p.Stream();
  const uint32_t producer = p.Launch(thread, 0, a, 100);
  const uint32_t consumer = p.Launch(thread, 0, b, 70);
  if (with_event) p.WaitAtStart(consumer, producer, 0);
  p.Sync(thread, 0, {a, b});
  return p.Total();
}

TEST(Replay, EventBetweenStreamsAddsUpAndWithoutItTheLongerCounts) {
  EXPECT_EQ(TwoStreams(true), 170);
  EXPECT_EQ(TwoStreams(false), 100);
}

int64_t AroundDefaultStream(bool blocking) {
  Pipeline p({.gap = 0, .latency = 0, .return_lag = 0});
  const uint32_t thread = p.Thread(), a = p.Stream(), legacy = p.Stream(), b = p.Stream();
  const uint32_t before = p.Launch(thread, 0, a, 50);
  const uint32_t middle = p.Launch(thread, 0, legacy, 30);
  const uint32_t after = p.Launch(thread, 0, b, 20);
  if (blocking) {
    p.WaitAtStart(middle, before, 0, EdgeKind::kLegacy);
    p.WaitAtStart(after, middle, 0, EdgeKind::kLegacy);
  }
  return p.Total();
}

TEST(Replay, LegacyDefaultStreamIsSerialWithBlockingStreamsOnly) {
  EXPECT_EQ(AroundDefaultStream(true), 100);
  EXPECT_EQ(AroundDefaultStream(false), 50);
}

TEST(Replay, PageableCopyBehindAFullStreamReturnsAfterDrainAndCopy) {
  Pipeline p({.gap = 0, .latency = 0, .return_lag = 0});
  const uint32_t thread = p.Thread(), stream = p.Stream();
  for (int i = 0; i < 5; ++i) p.Launch(thread, 1, stream, 100);
  const uint32_t copy = p.Launch(thread, 1, stream, 40);
  const uint32_t wait = p.Host(thread, 0);
  p.WaitAtEnd(wait, copy, 0);
  p.Total();
  EXPECT_EQ(p.EndOf(wait), 1 + 5 * 100 + 40);
}

TEST(Replay, GraphOfNodesIsCallLatencyAndSum) {
  Pipeline p({.gap = 0, .latency = kLatency, .return_lag = 0});
  const uint32_t thread = p.Thread(), stream = p.Stream();
  const uint32_t call = p.Host(thread, kHost);
  for (int i = 0; i < 6; ++i) p.Issue(call, stream, 7);
  EXPECT_EQ(p.Total(), kHost + kLatency + 6 * 7);
}

TEST(Replay, ThreadsThatHandOverAddUp) {
  Pipeline p({});
  const uint32_t a = p.Thread(), b = p.Thread();
  uint32_t last = kNoItem;
  for (int i = 0; i < 8; ++i) {
    const uint32_t item = p.Host(i % 2 == 0 ? a : b, 10 + i);
    if (last != kNoItem) p.WaitAtStart(item, last, 0, EdgeKind::kHandover);
    last = item;
  }
  EXPECT_EQ(p.Total(), 8 * 10 + 28);
}

// A consumer of c per step, fed by W workers that need s each: the period is max(c, s / W).
int64_t LoaderPeriod(int64_t consumer, int64_t service, int64_t workers) {
  Pipeline p({});
  const uint32_t thread = p.Thread();
  constexpr int kSteps = 9;
  std::vector<uint32_t> steps;
  for (int i = 0; i < kSteps; ++i) steps.push_back(p.Host(thread, consumer));
  p.Total();
  std::vector<WorkerTicket> tickets;
  for (const uint32_t step : steps) tickets.push_back({p.place[step], service / workers, 0});
  Run({.graph = &p.graph, .weights = &p.weights, .tickets = &tickets}, p.end);
  return (p.EndOf(steps.back()) - p.EndOf(steps.front())) / (kSteps - 1);
}

TEST(Replay, LoaderPeriodIsTheSlowerOfConsumerAndWorkers) {
  EXPECT_EQ(LoaderPeriod(30, 80, 4), 30);
  EXPECT_EQ(LoaderPeriod(10, 80, 4), 20);
  EXPECT_EQ(LoaderPeriod(10, 80, 1), 80);
}

// Two ranks arrive at a and b; the collective takes x from the later one.
int64_t CollectiveEnd(int64_t a, int64_t b, int64_t transfer) {
  Pipeline p({.gap = 0, .latency = 0, .return_lag = 0});
  const uint32_t rank0 = p.Stream(), rank1 = p.Stream(), group = p.Stream(), thread = p.Thread();
  const uint32_t first = p.Launch(thread, 0, rank0, a);
  const uint32_t second = p.Launch(thread, 0, rank1, b);
  const uint32_t together = p.Launch(thread, 0, group, transfer);
  p.WaitAtStart(together, first, 0);
  p.WaitAtStart(together, second, 0);
  return p.Total();
}

TEST(Replay, CollectiveWaitsForTheLastRankAndTheEarlyOneGainsNothing) {
  EXPECT_EQ(CollectiveEnd(40, 100, 25), 125);
  EXPECT_EQ(CollectiveEnd(10, 100, 25), 125);
}

TEST(Replay, CopiesOfOneDirectionAddUpOppositeOnesOverlap) {
  for (const bool same_direction : {false, true}) {
    Pipeline p({.gap = 0, .latency = 0, .return_lag = 0});
    const uint32_t thread = p.Thread(), a = p.Stream(), b = p.Stream();
    const uint32_t first = p.Launch(thread, 0, a, 60);
    const uint32_t second = p.Launch(thread, 0, b, 45);
    if (same_direction) p.WaitAtStart(second, first, 0, EdgeKind::kEngine);
    EXPECT_EQ(p.Total(), same_direction ? 105 : 60);
  }
}

TEST(Replay, CycleLosesItsWeakestInferredEdge) {
  Pipeline p({});
  const uint32_t a = p.Thread(), b = p.Thread();
  const uint32_t first = p.Host(a, 5), second = p.Host(b, 7);
  p.WaitAtStart(second, first, 0, EdgeKind::kHandover, kLikely);
  p.WaitAtStart(first, second, 0, EdgeKind::kHandover, kGuessed);
  EXPECT_EQ(p.Total(), 12);
  EXPECT_EQ(p.graph.dropped_edges, 1U);
}

TEST(Replay, TenThousandStreams) {
  Pipeline p({});
  const uint32_t thread = p.Thread();
  for (int i = 0; i < 10'000; ++i) p.Launch(thread, 1, p.Stream(), 50);
  EXPECT_EQ(p.Total(), 10'000 + 50);
}

}  // namespace
}  // namespace warpscope::analysis::replay
