// The simulator on traces of simple programs: what each edit gains, and what it must not.
#include "analysis/replay/simulator.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/replay/testing/recorded_loop.h"

namespace warpscope::analysis {
namespace {

using replay::testing::RecordedLoop;

constexpr int kSteps = 6, kKernels = 60;

Simulator Build(RecordedLoop& loop, std::optional<double> true_step_ms = std::nullopt) {
  Result<Simulator> simulator = Simulator::Build(loop.Finish(), loop.steps(), {.true_step_ms = true_step_ms});
  EXPECT_TRUE(simulator.ok()) << simulator.status().message();
  return std::move(simulator).value();
}

// kKernels launches a step, `gap` host work before each.
void Launches(RecordedLoop& loop, int64_t gap, int64_t kernel, bool sync) {
  for (int step = 0; step < kSteps; ++step) {
    loop.BeginStep();
    for (int i = 0; i < kKernels; ++i) loop.Launch("kernel", gap, kernel);
    if (sync) loop.DeviceSync();
  }
}

void CheckOrdered(const Prediction& p) {
  EXPECT_LE(p.low_pct, p.gain_pct);
  EXPECT_LE(p.gain_pct, p.high_pct);
  EXPECT_NEAR(p.step_ms_after, p.step_ms_before * (1 - p.gain_pct / 100), 1e-9);
}

double Gain(const Simulator& simulator, const WhatIf& edits, Side side) {
  const Prediction prediction = simulator.Predict(edits, side);
  CheckOrdered(prediction);
  return prediction.gain_pct;
}

WhatIf ScaleKernels(const model::Trace& trace, double ratio) {
  WhatIf edits;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    edits.SetGpuDuration(row, std::llround(ratio * static_cast<double>(trace.gpu.dur_ns[row])));
  }
  return edits;
}

WhatIf ScaleHost(const RecordedLoop& loop, double ratio) {
  WhatIf edits;
  edits.ScaleHost(loop.steps().steps[0].thread, loop.steps().window_begin_ns, loop.steps().window_end_ns, ratio);
  return edits;
}

TEST(Simulator, ReproducesTheRecording) {
  for (const int64_t kernel : {3'000, 40'000}) {
    RecordedLoop loop;
    Launches(loop, 6'000, kernel, kernel < 10'000);
    const Simulator simulator = Build(loop);
    EXPECT_LT(std::abs(simulator.error().step_error_pct), 0.5);
    EXPECT_LT(simulator.error().kernel_start_error_p95_us, 20);
    EXPECT_DOUBLE_EQ(simulator.dilation_ratio(), 1.0);  // not a recorder whose cost is known
  }
}

TEST(Simulator, HostBoundLoopGainsFromTheHostOnly) {
  RecordedLoop loop;
  Launches(loop, 6'000, 3'000, true);
  const Simulator simulator = Build(loop);
  EXPECT_LT(Gain(simulator, ScaleKernels(loop.builder.trace(), 0.1), Side::kGpu), 2);
  EXPECT_NEAR(Gain(simulator, ScaleHost(loop, 0.5), Side::kHost), 50, 4);
}

TEST(Simulator, DeviceBoundLoopGainsFromTheDeviceOnly) {
  RecordedLoop loop;
  Launches(loop, 6'000, 40'000, false);
  const Simulator simulator = Build(loop);
  EXPECT_LT(std::abs(Gain(simulator, ScaleHost(loop, 0.1), Side::kHost)), 1);
  EXPECT_NEAR(Gain(simulator, ScaleKernels(loop.builder.trace(), 0.5), Side::kGpu), 48.8, 2);
}

TEST(Simulator, MergedLaunchesRunBackToBack) {
  RecordedLoop loop;
  Launches(loop, 6'000, 3'000, true);
  const Simulator simulator = Build(loop);
  const model::Trace& trace = loop.builder.trace();
  WhatIf edits;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<uint32_t> rows;
    for (int i = 0; i < kKernels; ++i) rows.push_back(static_cast<uint32_t>(step * kKernels + i));
    edits.MergeLaunches(rows, 10'000, 100);
  }
  const Prediction p = simulator.Predict(edits, Side::kHost);
  CheckOrdered(p);
  // First gap, call, latency, nodes, return and the gap before the wait.
  const double expected_ms = (6'000 + 10'000 + 2'000 + 60 * 3'000 + 59 * 100 + 8'000) / 1e6;
  EXPECT_NEAR(p.step_ms_after, expected_ms, 0.02);
  EXPECT_GT(trace.gpu.size(), 0U);
}

TEST(Simulator, FusedRowsBecomeOneItem) {
  RecordedLoop loop;
  Launches(loop, 1'000, 40'000, false);
  const Simulator simulator = Build(loop);
  WhatIf edits;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<uint32_t> rows;
    for (int i = 0; i < kKernels; ++i) rows.push_back(static_cast<uint32_t>(step * kKernels + i));
    edits.MergeLaunches(rows, 5'000, 0, 600'000);
  }
  EXPECT_NEAR(simulator.Predict(edits, Side::kGpu).step_ms_after, 0.602, 0.02);
}

TEST(Simulator, RemovedKernelsFreeTheDevice) {
  RecordedLoop loop;
  Launches(loop, 1'000, 40'000, false);
  const Simulator simulator = Build(loop);
  WhatIf edits;
  for (uint32_t row = 0; row < loop.builder.trace().gpu.size(); row += 2) edits.RemoveGpu(row);
  EXPECT_NEAR(Gain(simulator, edits, Side::kGpu), 50, 2);
}

TEST(Simulator, DroppedWaitsOverlapHostAndDevice) {
  RecordedLoop loop;
  for (int step = 0; step < kSteps; ++step) {
    loop.BeginStep();
    for (int i = 0; i < 30; ++i) {
      loop.Launch("kernel", 20'000, 30'000);
      loop.StreamSync();
    }
  }
  const Simulator simulator = Build(loop);
  const model::Trace& trace = loop.builder.trace();
  WhatIf edits;
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    if (trace.HostName(row) == "cudaStreamSynchronize") edits.RemoveCall(row);
  }
  // 20 + 5 + 2 + 30 + 8 us a round with the wait; 31 us without (the device's pace).
  EXPECT_NEAR(Gain(simulator, edits, Side::kHost), 100 * (1 - 31.0 / 66.0), 3);
}

TEST(Simulator, HostWorkMovesToWorkers) {
  for (const uint32_t workers : {1U, 4U}) {
    RecordedLoop loop;
    WhatIf edits;
    for (int step = 0; step < kSteps; ++step) {
      loop.BeginStep();
      edits.OffloadHost(0, loop.now(), loop.now() + 2'000'000, workers);
      loop.Host(2'000'000);
      for (int i = 0; i < kKernels; ++i) loop.Launch("kernel", 6'000, 3'000);
      loop.DeviceSync();
    }
    const Simulator simulator = Build(loop);
    // The rest of the step takes 0.67 ms, the work 2 ms / workers.
    EXPECT_NEAR(simulator.Predict(edits, Side::kHost).step_ms_after, workers == 1 ? 2.0 : 0.67, 0.1);
  }
}

TEST(Simulator, PageableCopyMovedToItsOwnLane) {
  RecordedLoop loop;
  for (int step = 0; step < kSteps; ++step) {
    loop.BeginStep();
    loop.PageableCopy(5'000, 1'000'000);
    for (int i = 0; i < kKernels; ++i) loop.Launch("kernel", 2'000, 20'000);
    loop.DeviceSync();
  }
  const Simulator simulator = Build(loop);
  const model::Trace& trace = loop.builder.trace();
  WhatIf edits;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.kind[row] != model::GpuKind::kCopy) continue;
    edits.MoveToLane(row, 0);
    edits.SetGpuDuration(row, 400'000);
    edits.DropWait(trace.gpu.call[row]);
  }
  const Prediction p = simulator.Predict(edits, Side::kGpu);
  CheckOrdered(p);
  EXPECT_NEAR(p.step_ms_before, 2.30, 0.1);
  EXPECT_NEAR(p.step_ms_after, 1.29, 0.05);
}

// Kernels take a tenth longer for the time in which copies have come to run beside them, and no longer than that.
TEST(Simulator, MovedCopiesSlowTheKernelsBesideThem) {
  for (const int64_t copy_ns : {500'000, 1'000'000, 3'000'000}) {
    RecordedLoop loop;
    for (int step = 0; step < kSteps; ++step) {
      loop.BeginStep();
      loop.PinnedCopy(5'000, copy_ns);
      for (int i = 0; i < 10; ++i) loop.Launch("kernel", 2'000, 200'000);
    }
    const Simulator simulator = Build(loop);
    const model::Trace& trace = loop.builder.trace();
    WhatIf edits;
    for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
      if (trace.gpu.kind[row] == model::GpuKind::kCopy) edits.MoveToLane(row, 0);
    }
    const Prediction p = simulator.Predict(edits, Side::kGpu);
    CheckOrdered(p);
    const double kernels_ms = 2.0, copy_ms = static_cast<double>(copy_ns) / 1e6;
    EXPECT_NEAR(p.step_ms_after, std::max(copy_ms, kernels_ms + 0.1 * std::min(copy_ms, kernels_ms)), 0.03) << copy_ns;
  }
}

// One engine a direction: a copy that leaves the stream runs beside kernels, but not beside the copies that stay.
TEST(Simulator, MovedCopyStillWaitsForCopiesOfItsDirection) {
  RecordedLoop loop;
  for (int step = 0; step < kSteps; ++step) {
    loop.BeginStep();
    loop.PinnedCopy(5'000, 1'000'000);
    loop.PinnedCopy(5'000, 1'000'000);
    for (int i = 0; i < 4; ++i) loop.Launch("kernel", 2'000, 50'000);
  }
  const Simulator simulator = Build(loop);
  const model::Trace& trace = loop.builder.trace();
  for (const int which : {0, 1}) {
    WhatIf edits;
    int copies = 0;
    for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
      if (trace.gpu.kind[row] == model::GpuKind::kCopy && copies++ % 2 == which) edits.MoveToLane(row, 0);
    }
    const Prediction p = simulator.Predict(edits, Side::kGpu);
    EXPECT_NEAR(p.step_ms_before, 2.2, 0.1);
    EXPECT_GE(p.step_ms_after, 1.99);  // both copies, one after the other
  }
}

// A step that no host could have made so short tells nothing about the host: the copies went faster in that run.
TEST(Simulator, AStepThatTheHostCannotExplainLeavesItAlone) {
  RecordedLoop loop;
  for (int step = 0; step < kSteps; ++step) {
    loop.BeginStep();
    loop.PageableCopy(5'000, 10'000'000);
    for (int i = 0; i < kKernels; ++i) loop.Launch("kernel", 12'000, 5'000);
    loop.DeviceSync();
  }
  const Simulator plain = Build(loop);
  const model::Trace& trace = loop.builder.trace();
  WhatIf edits;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.kind[row] != model::GpuKind::kCopy) continue;
    edits.RemoveGpu(row);
    edits.DropWait(trace.gpu.call[row]);
  }
  const double share = plain.Predict(edits, Side::kGpu).step_ms_after / plain.base_step_ms();
  Result<Simulator> given = Simulator::Build(trace, loop.steps(), {.true_step_ms = 0.93 * plain.base_step_ms()});
  ASSERT_TRUE(given.ok());
  EXPECT_NEAR(given->Predict(edits, Side::kGpu).step_ms_after / given->base_step_ms(), share, 0.01);
}

TEST(Simulator, UnionGainsAtLeastTheBetterOne) {
  RecordedLoop loop;
  Launches(loop, 6'000, 9'000, true);
  const Simulator simulator = Build(loop);
  const WhatIf host = ScaleHost(loop, 0.6), device = ScaleKernels(loop.builder.trace(), 0.6);
  WhatIf both = host;
  both.Add(device);
  EXPECT_GE(Gain(simulator, both, Side::kHost) + 1e-9,
            std::max(Gain(simulator, host, Side::kHost), Gain(simulator, device, Side::kHost)));
}

TEST(Simulator, CautiousAndHopefulVersionsWidenTheInterval) {
  RecordedLoop loop;
  Launches(loop, 6'000, 40'000, false);
  const Simulator simulator = Build(loop);
  const model::Trace& trace = loop.builder.trace();
  const WhatIf low = ScaleKernels(trace, 0.9), point = ScaleKernels(trace, 0.5), high = ScaleKernels(trace, 0.2);
  const Prediction p = simulator.Predict(point, Side::kGpu, &low, &high);
  CheckOrdered(p);
  EXPECT_LE(p.low_pct, 12);
  EXPECT_NEAR(p.high_pct, 75.3, 2);  // the host's 11 us a launch are the limit, less what runs differ by
}

TEST(Simulator, NoEditNoGain) {
  RecordedLoop loop;
  Launches(loop, 6'000, 3'000, true);
  const Prediction p = Build(loop).Predict({}, Side::kHost);
  EXPECT_EQ(p.gain_pct, 0);
  EXPECT_EQ(p.step_ms_after, p.step_ms_before);
}

// Host bound at 14 us a launch, 5 of them the call's.
double CapturedStepMs(std::optional<int64_t> launch_cost_ns) {
  RecordedLoop loop;
  loop.builder.trace().sources[0].format = "capture";
  loop.builder.trace().sources[0].launch_cost_ns = launch_cost_ns;
  for (int step = 0; step < kSteps; ++step) {
    loop.BeginStep();
    for (int i = 0; i < kKernels; ++i) loop.Launch("kernel", 9'000, 2'000);
  }
  return Build(loop).base_step_ms();
}

TEST(Simulator, WhatACaptureCostALaunchIsTakenOut) {
  const double recorded_ms = 0.014 * kKernels;
  EXPECT_NEAR(CapturedStepMs(0), recorded_ms, 0.02 * recorded_ms);
  EXPECT_NEAR(CapturedStepMs(std::nullopt), recorded_ms - 0.0008 * kKernels, 0.02 * recorded_ms);
  EXPECT_NEAR(CapturedStepMs(2'000), recorded_ms - 0.002 * kKernels, 0.02 * recorded_ms);
  // More than the call can hold: the rest lies in the time before it.
  EXPECT_NEAR(CapturedStepMs(6'000), recorded_ms - 0.006 * kKernels, 0.02 * recorded_ms);
}

// Host bound at 14 us a launch under nsys: its cost is taken out, and the doubt about it is in the interval of a gain.
TEST(Simulator, WhatNsysCostALaunchIsTakenOut) {
  RecordedLoop loop;
  model::Source& source = loop.builder.trace().sources[0];
  source.format = "nsys", source.vendor = model::Vendor::kNvidia, source.producer = "Nsight Systems";
  for (int step = 0; step < kSteps; ++step) {
    loop.BeginStep();
    for (int i = 0; i < kKernels; ++i) loop.Launch("kernel", 9'000, 2'000);
  }
  const double recorded_ms = 0.014 * kKernels;
  EXPECT_NEAR(Build(loop).base_step_ms(), recorded_ms - 0.002 * kKernels, 0.02 * recorded_ms);
}

TEST(Simulator, CostOfKnownRecorderIsTakenOut) {
  for (const bool given : {false, true}) {
    RecordedLoop loop;
    loop.builder.trace().sources[0].format = "kineto";
    for (int step = 0; step < kSteps; ++step) {
      loop.BeginStep();
      for (int i = 0; i < kKernels; ++i) {
        loop.builder.AddOp("aten::add", loop.now() + 1'000, 12'000);
        loop.Launch("kernel", 9'000, 2'000);
      }
    }
    const Simulator simulator = Build(loop, given ? std::optional(0.65) : std::nullopt);
    EXPECT_NEAR(simulator.recorded_step_ms(), 0.84, 0.01);
    if (given) {
      EXPECT_DOUBLE_EQ(simulator.base_step_ms(), 0.65);
    } else {
      EXPECT_LT(simulator.base_step_ms(), 0.75);
    }
    EXPECT_NEAR(Gain(simulator, ScaleHost(loop, 0.5), Side::kHost), 50, 3);
  }
}

// 2 ms of kernels, waited for by the host before it starts an exchange of 3 ms on another stream, which it waits for
// before the next step. Nothing else orders the two streams: without the waits they must not run beside each other.
TEST(Simulator, WhatOnlyAWaitOrdersStaysInOrder) {
  RecordedLoop loop;
  for (int step = 0; step < kSteps; ++step) {
    loop.BeginStep();
    loop.Launch("kernel", 9'000, 2'000'000, 7);
    loop.StreamSync(7);
    loop.Launch("exchange", 9'000, 3'000'000, 20);
    loop.DeviceSync();
  }
  const Simulator simulator = Build(loop);
  WhatIf edits;
  const model::Trace& trace = loop.builder.trace();
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    if (trace.HostName(row).find("Synchronize") != std::string_view::npos) edits.DropWait(row);
  }
  EXPECT_NEAR(simulator.Predict(edits, Side::kHost).step_ms_after, 5.0, 0.02);
  EXPECT_GT(simulator.Predict(edits, Side::kHost).gain_pct, 0.1);  // launches no longer stand behind the returns
}

// The same on one stream: its own order is enough, the host runs ahead.
TEST(Simulator, WithoutOtherStreamsADroppedWaitLeavesTheDeviceBusy) {
  RecordedLoop loop;
  for (int step = 0; step < kSteps; ++step) {
    loop.BeginStep();
    loop.Launch("kernel", 400'000, 2'000'000, 7);
    loop.StreamSync(7);
  }
  const Simulator simulator = Build(loop);
  WhatIf edits;
  const model::Trace& trace = loop.builder.trace();
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    if (trace.HostName(row).find("Synchronize") != std::string_view::npos) edits.DropWait(row);
  }
  EXPECT_NEAR(simulator.Predict(edits, Side::kHost).step_ms_after, 2.0, 0.02);
}

// The device stands still for 0.4 ms of each step and nothing tells why: the replay misses that, the recorder did not
// cause it.
TEST(Simulator, WhatTheReplayMissesIsNotTheRecordersCost) {
  RecordedLoop loop;
  loop.builder.trace().sources[0].format = "kineto";
  for (int step = 0; step < kSteps; ++step) {
    loop.BeginStep();
    loop.Delay(400'000);
    loop.Launch("kernel", 9'000, 8'000'000);
    loop.DeviceSync();
  }
  const Simulator simulator = Build(loop);
  EXPECT_LT(simulator.error().step_error_pct, -3);
  EXPECT_NEAR(simulator.base_step_ms(), 8.41, 0.05);
}

// A long Python frame without recorded calls: what the recorder cost it is a guess, and the doubt says so.
TEST(Simulator, SilentPythonMayNotHaveBeenSlowed) {
  RecordedLoop loop;
  loop.builder.trace().sources[0].format = "kineto";
  for (int step = 0; step < kSteps; ++step) {
    loop.BeginStep();
    loop.builder.AddPython("train.py(3): tokenize", loop.now(), 8'000'000);
    loop.Host(8'000'000);
    loop.Launch("kernel", 9'000, 2'000'000);
    loop.DeviceSync();
  }
  const Simulator simulator = Build(loop);
  const auto [longest_ms, shortest_ms] = simulator.doubtful_base_steps_ms();
  EXPECT_LT(simulator.base_step_ms(), 7);
  EXPECT_LT(shortest_ms, simulator.base_step_ms());
  EXPECT_GT(longest_ms, 9.9);
}

TEST(Simulator, GivenStepLongerThanRecordedChangesNothing) {
  RecordedLoop loop;
  Launches(loop, 6'000, 3'000, true);
  const Simulator simulator = Build(loop, 2.0);
  EXPECT_DOUBLE_EQ(simulator.base_step_ms(), 2.0);
  EXPECT_FALSE(simulator.notes().empty());
}

TEST(Simulator, EventsOrderStreams) {
  RecordedLoop loop;
  for (int step = 0; step < kSteps; ++step) {
    loop.BeginStep();
    const int64_t begin = loop.now();
    loop.Launch("producer", 5'000, 300'000, 7);
    loop.Call("cudaEventRecord", 1'000, 1'000);
    loop.Call("cudaStreamWaitEvent", 1'000, 1'000);
    // The consumer follows the producer by 2 us on another stream.
    const int64_t call = loop.now() + 2'000;
    loop.builder.Launch("consumer", call, 5'000, begin + 5'000 + 5'000 + 2'000 + 300'000 + 2'000, 200'000, 20);
    loop.Host(2'000 + 5'000 + 560'000);
  }
  const Simulator simulator = Build(loop);
  EXPECT_LT(std::abs(simulator.error().step_error_pct), 0.5);
  EXPECT_LT(simulator.error().kernel_start_error_p95_us, 10);
}

TEST(Simulator, CriticalPathIsInOrderAndNamesTheDevice) {
  RecordedLoop loop;
  Launches(loop, 6'000, 40'000, false);
  const auto path = Build(loop).CriticalPath();
  int64_t device = 0, total = 0;
  for (size_t i = 0; i < path.size(); ++i) {
    total += path[i].dur_ns;
    if (path[i].kind == Simulator::PathItem::kGpu) device += path[i].dur_ns;
    if (i > 0) {
      EXPECT_LE(path[i - 1].start_ns, path[i].start_ns);
    }
  }
  EXPECT_GT(device, total * 9 / 10);
}

TEST(Simulator, RefusesWhatItCannotReplay) {
  RecordedLoop no_device;
  no_device.BeginStep();
  no_device.Call("cudaMalloc", 1'000, 1'000);
  EXPECT_EQ(Simulator::Build(no_device.Finish(), no_device.steps(), {}).status().code(), StatusCode::kUnsupported);
  RecordedLoop no_calls;
  no_calls.BeginStep();
  no_calls.Host(1'000);
  no_calls.builder.AddKernel("kernel", 1'000'500, 100);
  EXPECT_EQ(Simulator::Build(no_calls.Finish(), no_calls.steps(), {}).status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(Simulator::Build(no_calls.builder.trace(), {}, {}).status().code(), StatusCode::kUnsupported);
}

}  // namespace
}  // namespace warpscope::analysis
