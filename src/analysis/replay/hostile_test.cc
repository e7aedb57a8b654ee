// The simulator on traces that make no sense: it must refuse or answer, with ordered intervals and finite numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analysis/replay/simulator.h"
#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::HostKind;

class HostileTrace {
 public:
  explicit HostileTrace(uint64_t seed) : random_(seed) {
    if (Pick(0, 2) == 0) builder.trace().sources[0].format = "kineto";
    if (Pick(0, 3) == 0) builder.AddProcess(200);
    for (int64_t i = Pick(1, 120); i > 0; --i) AddRow();
    builder.Finish();
    for (int64_t i = Pick(0, 5); i > 0; --i) AddStep();
  }

  int64_t Pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }
  int64_t Time() {
    return Pick(0, 20) == 0 ? Pick(-4'000'000'000'000'000'000, 4'000'000'000'000'000'000) : Pick(-50, 3'000) * 1'000;
  }
  int64_t Length() { return Pick(0, 30) == 0 ? Pick(0, 4'000'000'000'000'000'000) : Pick(0, 80) * 500; }
  uint64_t Id() { return Pick(0, 8) == 0 ? model::kNoId : static_cast<uint64_t>(Pick(1, 40)); }

  WhatIf RandomEdits() {
    WhatIf edits;
    const auto row = [&] { return static_cast<uint32_t>(Pick(0, 130)); };
    for (int64_t i = Pick(1, 8); i > 0; --i) {
      switch (Pick(0, 8)) {
        case 0: edits.RemoveGpu(row()); break;
        case 1: edits.SetGpuDuration(row(), Pick(-5, 100'000)); break;
        case 2: edits.MoveToLane(row(), static_cast<uint32_t>(Pick(0, 3))); break;
        case 3: edits.MergeLaunches({row(), row(), row()}, Pick(0, 9'000), Pick(0, 90)); break;
        case 4: edits.MergeLaunches({row(), row(), row(), row()}, Pick(0, 9'000), 0, Pick(0, 9'000)); break;
        case 5: edits.DropWait(row()); break;
        case 6: edits.RemoveCall(row()); break;
        case 7:
          edits.ScaleHost(static_cast<uint32_t>(Pick(0, 4)), Time(), Time(), static_cast<double>(Pick(0, 3)) / 2);
          break;
        default:
          edits.OffloadHost(static_cast<uint32_t>(Pick(0, 4)), Time(), Time(), static_cast<uint32_t>(Pick(0, 3)));
      }
    }
    if (Pick(0, 4) == 0) edits.NormaliseHostSpeed(1.0);
    return edits;
  }

  model::testing::TraceBuilder builder;
  Steps steps;

 private:
  void AddRow() {
    static constexpr const char* kCalls[] = {"cudaLaunchKernel",
                                             "cudaMemcpyAsync",
                                             "cudaMemcpy",
                                             "cudaGraphLaunch",
                                             "cudaStreamSynchronize",
                                             "cudaDeviceSynchronize",
                                             "cudaFree",
                                             "cudaMalloc",
                                             "cudaEventRecord",
                                             "cudaStreamWaitEvent",
                                             "cudaEventQuery",
                                             "cudaEventSynchronize",
                                             "hipLaunchKernel",
                                             "cuLaunchKernelEx",
                                             ""};
    builder.UseThread(Pick(1, 4));
    const int64_t stream = Pick(7, 10);
    switch (Pick(0, 9)) {
      case 0: builder.AddOp("aten::op", Time(), Length()); break;
      case 1: builder.AddPython("f.py(1): f", Time(), Length()); break;
      case 2: builder.AddAutogradOp("node", Time(), Length(), 1, 1); break;
      case 3: builder.AddHost(HostKind::kOverhead, "Activity Buffer Request", Time(), Length()); break;
      case 4: builder.AddKernel("kernel", Time(), Length(), Id(), stream); break;
      case 5:
        builder.AddCopy(static_cast<model::CopyKind>(Pick(0, 5)), static_cast<model::MemoryKind>(Pick(0, 3)),
                        static_cast<model::MemoryKind>(Pick(0, 3)), 1'000, Time(), Length(), Id(), stream);
        break;
      case 6:
        builder.AddSync({.start_ns = Time(),
                         .dur_ns = Length(),
                         .kind = static_cast<model::SyncKind>(Pick(0, 4)),
                         .stream = builder.StreamRow(stream),
                         .wait_on_stream = builder.StreamRow(Pick(7, 10)),
                         .correlation = Id(),
                         .event_record_correlation = Id()});
        break;
      case 7: builder.Launch("kernel", Time(), Length(), Time(), Length(), stream); break;
      default: builder.AddCall(kCalls[Pick(0, 14)], Time(), Length(), Id()); break;
    }
  }

  void AddStep() {
    Step step;
    step.begin_ns = Time();
    step.end_ns = Time();
    step.thread = Pick(0, 1) ? model::kNone
                             : static_cast<uint32_t>(Pick(0, static_cast<int64_t>(builder.trace().threads.size()) - 1));
    step.warmup = Pick(0, 5) == 0;
    steps.steps.push_back(step);
  }

  std::mt19937_64 random_;
};

TEST(Hostile, AnswersOrRefuses) {
  int built = 0;
  for (uint64_t seed = 1; seed <= 1'000; ++seed) {
    SCOPED_TRACE(seed);
    HostileTrace hostile(seed);
    Result<Simulator> simulator =
        Simulator::Build(hostile.builder.trace(), hostile.steps,
                         {.true_step_ms = hostile.Pick(0, 3) == 0 ? std::optional(0.5) : std::nullopt});
    if (!simulator.ok()) {
      EXPECT_FALSE(simulator.status().message().empty());
      continue;
    }
    ++built;
    const WhatIf point = hostile.RandomEdits(), low = hostile.RandomEdits(), high = hostile.RandomEdits();
    for (const Side side : {Side::kGpu, Side::kHost}) {
      const Prediction p = simulator->Predict(point, side, &low, &high);
      ASSERT_TRUE(std::isfinite(p.gain_pct) && std::isfinite(p.low_pct) && std::isfinite(p.high_pct));
      ASSERT_LE(p.low_pct, p.gain_pct);
      ASSERT_LE(p.gain_pct, p.high_pct);
    }
    simulator->CriticalPath();
  }
  EXPECT_GT(built, 50);
}

}  // namespace
}  // namespace warpscope::analysis
