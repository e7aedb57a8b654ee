// The graph that is built from rows: threads, waits, events, polls, full queues.
#include "analysis/replay/build.h"

#include <gtest/gtest.h>

#include "analysis/replay/replay.h"
#include "analysis/replay/testing/recorded_loop.h"

namespace warpscope::analysis::replay {
namespace {

using testing::RecordedLoop;

Model Build(RecordedLoop& loop) {
  loop.Finish();
  Result<Model> model = BuildModel(loop.builder.trace(), loop.steps(), 0);
  EXPECT_TRUE(model.ok()) << model.status().message();
  return std::move(model).value();
}

std::vector<int64_t> Replayed(const Model& model) {
  std::vector<int64_t> end;
  Run({.graph = &model.graph, .weights = &model.structural}, end);
  return end;
}

// Edges of a kind that end at the item of a host row, as device items.
std::vector<uint32_t> Targets(const Model& model, uint32_t host_row) {
  std::vector<uint32_t> rows;
  const uint32_t item = model.item_of_call[host_row];
  for (uint32_t e = model.graph.edge_begin[item]; e < model.graph.edge_begin[item + 1]; ++e) {
    if (model.graph.edge_kind[e] == EdgeKind::kSyncTarget) rows.push_back(model.graph.row[model.graph.edge_from[e]]);
  }
  return rows;
}

TEST(Build, IdentityReturnsTheRecording) {
  RecordedLoop loop;
  for (int step = 0; step < 3; ++step) {
    loop.BeginStep();
    loop.PageableCopy(3'000, 70'000);
    for (int i = 0; i < 25; ++i) loop.Launch("kernel", 1'000 + 700 * (i % 4), 2'000 + 3'000 * (i % 5), 7 + i % 3);
    loop.StreamSync(8);
    loop.Call("cudaMalloc", 4'000, 60'000);
    loop.DeviceSync();
  }
  const Model model = Build(loop);
  const Weights weights = IdentityWeights(model.graph, model.structural);
  std::vector<int64_t> end;
  replay::Run({.graph = &model.graph, .weights = &weights}, end);
  EXPECT_EQ(end, model.graph.recorded_end);
}

TEST(Build, StreamSyncWaitsForTheStreamThatEndedAtItsReturn) {
  RecordedLoop loop;
  loop.BeginStep();
  loop.Launch("long", 1'000, 900'000, 20);
  loop.Launch("short", 1'000, 100'000, 7);
  loop.StreamSync(7);
  loop.Launch("after", 1'000, 5'000, 7);
  const Model model = Build(loop);
  const auto targets = Targets(model, loop.builder.HostRow("cudaStreamSynchronize"));
  ASSERT_EQ(targets.size(), 1U);
  EXPECT_EQ(targets[0], loop.builder.GpuRow("short"));
}

TEST(Build, DeviceSyncWaitsForEveryStream) {
  RecordedLoop loop;
  loop.BeginStep();
  loop.Launch("one", 1'000, 90'000, 20);
  loop.Launch("two", 1'000, 100'000, 7);
  loop.DeviceSync();
  EXPECT_EQ(Targets(Build(loop), loop.builder.HostRow("cudaDeviceSynchronize")).size(), 2U);
}

// A recorder converts the device's clock into the host's with an error of some ten us.
TEST(Build, AWaitThatSeemsToReturnBeforeItsWorkEndsWaitedForIt) {
  RecordedLoop loop;
  loop.return_ns = -12'000;
  for (int step = 0; step < 4; ++step) {
    loop.BeginStep();
    loop.Launch("kernel", 1'000, 100'000);
    loop.DeviceSync();
    loop.Host(20'000);
  }
  const Model model = Build(loop);
  EXPECT_EQ(Targets(model, loop.builder.HostRow("cudaDeviceSynchronize")).size(), 1U);
}

TEST(Build, SynchronisationRowsNameTheTarget) {
  RecordedLoop loop;
  loop.BeginStep();
  loop.Launch("here", 1'000, 100'000, 7);
  loop.Launch("there", 1'000, 100'000, 20);
  loop.builder.AddCall("cudaStreamSynchronize", loop.now(), 150'000, 77);
  model::Sync sync;
  sync.kind = model::SyncKind::kStream;
  sync.stream = loop.builder.StreamRow(7);
  sync.correlation = 77;
  loop.builder.AddSync(sync);
  loop.Host(150'000);
  const auto targets = Targets(Build(loop), loop.builder.HostRow("cudaStreamSynchronize"));
  ASSERT_EQ(targets.size(), 1U);
  EXPECT_EQ(targets[0], loop.builder.GpuRow("here"));
}

TEST(Build, PollingIsOneWait) {
  RecordedLoop loop;
  loop.BeginStep();
  const int64_t begin = loop.now();
  loop.Launch("kernel", 1'000, 500'000);
  while (loop.now() < begin + 515'000) loop.Call("cudaEventQuery", 2'000, 1'000);
  loop.Launch("after", 1'000, 5'000);
  const Model model = Build(loop);
  const uint32_t item = model.item_of_call[loop.builder.HostRow("cudaEventQuery")];
  ASSERT_NE(item, kNoItem);
  EXPECT_EQ(model.call_class[item], CallClass::kPoll);
  ASSERT_EQ(Targets(model, loop.builder.HostRow("cudaEventQuery")).size(), 1U);
  EXPECT_NEAR(static_cast<double>(Replayed(model)[item]), static_cast<double>(model.graph.recorded_end[item]), 15'000);
}

TEST(Build, AutogradThreadIsPartOfTheMainAgent) {
  RecordedLoop loop;
  for (int step = 0; step < 3; ++step) {
    loop.BeginStep();
    loop.Launch("forward", 5'000, 4'000);
    loop.builder.UseThread(2);
    loop.builder.AddAutogradOp("MulBackward0", loop.now() + 1'000, 20'000, 1, 1);
    loop.Launch("backward", 5'000, 4'000);
    loop.builder.UseThread(1);
    loop.Launch("optimizer", 30'000, 4'000);
  }
  const Model model = Build(loop);
  EXPECT_EQ(model.merged_threads, 1U);
  EXPECT_EQ(model.free_threads, 0U);
  const uint32_t backward = model.item_of_call[loop.builder.trace().gpu.call[loop.builder.GpuRow("backward")]];
  const uint32_t forward = model.item_of_call[loop.builder.trace().gpu.call[loop.builder.GpuRow("forward")]];
  EXPECT_EQ(model.graph.prev[backward], forward);
}

// What a recorder of CUDA alone sees of a framework: no operators, and launches that move to another thread and back.
TEST(Build, ThreadsThatTakeTurnsAreOneAgent) {
  RecordedLoop loop;
  for (int step = 0; step < 8; ++step) {
    loop.BeginStep();
    for (int i = 0; i < 10; ++i) loop.Launch("forward", 5'000, 4'000);
    loop.builder.UseThread(2);
    for (int i = 0; i < 10; ++i) loop.Launch("backward", 5'000, 4'000);
    loop.builder.UseThread(1);
    loop.Launch("optimizer", 30'000, 4'000);
    loop.Host(20'000'000);
  }
  const Model model = Build(loop);
  EXPECT_EQ(model.merged_threads, 1U);
  EXPECT_EQ(model.free_threads, 0U);
}

TEST(Build, AThreadThatWorksInThePausesOfAnotherStaysApart) {
  RecordedLoop loop;
  for (int step = 0; step < 8; ++step) {
    loop.BeginStep();
    for (int i = 0; i < 10; ++i) loop.Launch("step", 5'000, 4'000);
    loop.Host(10'000'000);
    loop.builder.UseThread(2);
    for (int i = 0; i < 10; ++i) loop.Launch("upload", 5'000, 4'000, 20);
    loop.builder.UseThread(1);
    loop.Host(10'000'000);
  }
  EXPECT_EQ(Build(loop).free_threads, 1U);
}

TEST(Build, OverlappingThreadsStayApart) {
  RecordedLoop loop;
  loop.BeginStep();
  for (int i = 0; i < 20; ++i) {
    loop.builder.UseThread(3).AddCall("cudaStreamIsCapturing", loop.now() + 2'000, 8'000);
    loop.builder.UseThread(1);
    loop.Launch("kernel", 5'000, 4'000);
  }
  EXPECT_EQ(Build(loop).free_threads, 1U);
}

TEST(Build, FullQueueIsAWaitAndNotTheCostOfLaunching) {
  RecordedLoop loop;
  loop.BeginStep();
  std::vector<int64_t> ends;
  int64_t device = 0;
  for (int i = 0; i < 1'500; ++i) {
    loop.Host(1'000);
    const int64_t call = loop.now();
    const int64_t slot = i < static_cast<int>(kQueueSlots) ? 0 : ends[i - kQueueSlots];
    const int64_t call_end = std::max(call, slot) + 5'000;
    device = std::max(call_end + RecordedLoop::kLatencyNs, device + RecordedLoop::kGapNs);
    loop.builder.Launch("kernel", call, call_end - call, device, 100'000);
    device += 100'000;
    ends.push_back(device);
    loop.Host(call_end - call);
  }
  const Model model = Build(loop);
  const std::vector<int64_t> end = Replayed(model);
  for (const uint32_t item : {500U, 1'400U, model.graph.size() - 1}) {
    EXPECT_NEAR(static_cast<double>(end[item]), static_cast<double>(model.graph.recorded_end[item]), 200'000);
  }
  // With kernels a tenth as long no launch is held up any more.
  Weights faster = model.structural;
  for (uint32_t i = 0; i < model.graph.size(); ++i) {
    if (model.graph.kind[i] == ItemKind::kGpu) faster.dur[i] = 4'000;
  }
  std::vector<int64_t> faster_end;
  replay::Run({.graph = &model.graph, .weights = &faster}, faster_end);
  EXPECT_LT(faster_end[model.markers.back()], 1'500 * 8'000);
}

TEST(Build, NamesOfOtherApisMeanTheSame) {
  EXPECT_EQ(Classify("hipLaunchKernel"), CallClass::kLaunch);
  EXPECT_EQ(Classify("cuLaunchKernelEx_ptsz"), CallClass::kLaunch);
  EXPECT_EQ(Classify("cuMemcpyHtoDAsync_v2"), CallClass::kCopy);
  EXPECT_EQ(Classify("hipMemcpyWithStream"), CallClass::kBlockingCopy);
  EXPECT_EQ(Classify("cuCtxSynchronize"), CallClass::kDeviceSync);
  EXPECT_EQ(Classify("hipStreamSynchronize_spt"), CallClass::kStreamSync);
  EXPECT_EQ(Classify("cudaGraphLaunch_ptsz"), CallClass::kGraphLaunch);
  EXPECT_EQ(Classify("cudaLaunchHostFunc"), CallClass::kOther);
  EXPECT_EQ(Classify("cuMemFree_v2"), CallClass::kFree);
  EXPECT_EQ(Classify(""), CallClass::kOther);
}

}  // namespace
}  // namespace warpscope::analysis::replay
