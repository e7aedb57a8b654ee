// Every analysis on random traces that make no sense: names, kinds, links, sizes and times at random. They must not
// break, and what has to add up must add up.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "analysis/calls.h"
#include "analysis/collectives.h"
#include "analysis/copies.h"
#include "analysis/device_time.h"
#include "analysis/gaps.h"
#include "analysis/kernels.h"
#include "analysis/launches.h"
#include "analysis/memory_usage.h"
#include "analysis/operators.h"
#include "analysis/step_profile.h"
#include "analysis/steps.h"
#include "analysis/syncs.h"
#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::CopyKind;
using model::kNoId;
using model::MemoryKind;
using model::testing::TraceBuilder;

const char* const kHostNames[] = {"ProfilerStep#1",
                                  "ProfilerStep#2",
                                  "aten::mm",
                                  "aten::cudnn_convolution",
                                  "cudaLaunchKernel",
                                  "cudaGraphLaunch",
                                  "cudaMemcpyAsync",
                                  "cudaStreamSynchronize",
                                  "cudaDeviceSynchronize",
                                  "cudaEventQuery",
                                  "cudaFree",
                                  "cudaMalloc",
                                  "train.py(3): step",
                                  "nn.Module: A_0",
                                  "enumerate(DataLoader)#x.__next__",
                                  "forward",
                                  "",
                                  "<built-in function sleep>",
                                  "nccl:all_reduce",
                                  "Activity Buffer Request",
                                  "MmBackward0"};
const char* const kKernelNames[] = {"gemm", "ncclDevKernel_AllReduce", "volta_sgemm_1", "", "void f<float>(int)"};

class RandomTrace {
 public:
  explicit RandomTrace(uint64_t seed) : random_(seed), span_ns_(One(3) == 0 ? 20 : 1'000'000) {
    const uint64_t processes = 1 + One(3);
    for (uint64_t process = 0; process < processes; ++process) {
      if (process > 0) builder_.UseProcess(builder_.AddProcess(static_cast<int64_t>(200 + process)));
      for (uint64_t i = One(100); i > 0; --i) AddHost();
      for (uint64_t i = One(80); i > 0; --i) AddGpu();
      for (uint64_t i = One(30); i > 0; --i) {
        builder_.AddMemory(Time(), static_cast<int64_t>(random_()), One(5), One(3) > 0 ? 0 : model::kNone);
      }
    }
    model::Device& device = builder_.device();
    device.cc_major = static_cast<uint32_t>(One(14));
    device.cc_minor = static_cast<uint32_t>(One(10));
    device.sm_count = static_cast<uint32_t>(One(200));
    device.shared_bytes_per_sm = static_cast<uint32_t>(One(100'000));
    builder_.Finish();
  }
  const model::Trace& trace() { return builder_.trace(); }

 private:
  uint64_t One(uint64_t limit) { return random_() % limit; }
  uint64_t Id() { return One(4) == 0 ? kNoId : One(60); }
  int64_t Time() { return One(50) == 0 ? 4'000'000'000'000'000 : static_cast<int64_t>(One(span_ns_)) - 100; }
  int64_t Length() { return One(5) == 0 ? 0 : static_cast<int64_t>(One(span_ns_ / (1 + One(50)) + 1)); }

  void AddHost() {
    builder_.UseThread(static_cast<int64_t>(1 + One(4)));
    builder_.AddHost(static_cast<model::HostKind>(One(7)), kHostNames[One(std::size(kHostNames))], Time(), Length(),
                     Id(), Id(), static_cast<uint32_t>(One(3)));
  }
  void AddGpu() {
    const int64_t start = Time(), length = Length(), stream = static_cast<int64_t>(One(3));
    switch (One(4)) {
      case 0:
        builder_.AddCopy(static_cast<CopyKind>(One(6)), static_cast<MemoryKind>(One(6)),
                         static_cast<MemoryKind>(One(6)),
                         One(3) > 0 ? std::optional<uint64_t>(random_()) : std::nullopt, start, length, Id(), stream);
        return;
      case 1: builder_.AddMemset(One(100), start, length, Id(), stream); return;
      default: break;
    }
    const auto any = [&](uint64_t limit) { return static_cast<uint32_t>(One(3) > 0 ? One(limit) : random_()); };
    builder_.AddKernel(kKernelNames[One(std::size(kKernelNames))], start, length, Id(), stream, 0,
                       TraceBuilder::Config(any(1000), any(1025), any(256), any(100'000)));
    if (One(6) == 0) builder_.AddCollectiveOfLastKernel("allreduce", "g", One(10), random_());
  }

  std::mt19937_64 random_;
  uint64_t span_ns_;
  TraceBuilder builder_;
};

void Check(const Index& index, const Steps& steps, const Scope& scope) {
  const GapSummary gaps = FindGaps(index, scope, &steps);
  EXPECT_EQ(std::accumulate(gaps.by_cause_ns.begin(), gaps.by_cause_ns.end(), int64_t{0}), gaps.idle_ns);
  EXPECT_EQ(gaps.gap_ns + gaps.short_gap_ns, gaps.idle_ns);
  for (const DeviceTime& device : DeviceTimes(index, scope)) {
    EXPECT_EQ(device.busy_ns + device.idle_ns, device.end_ns - device.begin_ns);
    EXPECT_GE(device.idle_ns, 0);
    EXPECT_LE(device.kernel_copy_overlap_ns, std::min(device.kernel_ns, device.copy_ns));
  }
  uint64_t kernels = 0, by_geometry = 0;
  for (const KernelRow& row : SummarizeKernels(index, scope)) kernels += row.count;
  for (const KernelRow& row : SummarizeKernels(index, scope, {.by_geometry = true})) by_geometry += row.count;
  EXPECT_EQ(kernels, by_geometry);
  for (const SyncCall& call : SummarizeSyncs(index, scope).calls) {
    EXPECT_GE(call.caused_idle_ns, 0);
    EXPECT_LE(call.waited_ns, call.end_ns - call.begin_ns);
  }
  SummarizeKernelCategories(index, scope);
  SummarizeLaunches(index, scope, &steps);
  LaunchesByKernel(index, scope);
  EXPECT_LE(QueueDepth(index, scope, 7).size(), 7U);
  SummarizeCopies(index, scope);
  CopiesByCaller(index, scope);
  SummarizeOperators(index, scope, {.by_shape = true});
  SummarizeAnnotations(index, scope);
  SummarizeModules(index, scope);
  SummarizeSourceLines(index, scope);
  SummarizeMemory(index, scope, &steps);
  SummarizeCollectives(index, scope);
  SummarizeCalls(index, scope);
  FrequentKernelSequences(index, scope, 3);
  ExplainOutliers(index, steps, ProfileSteps(index, steps, &gaps));
  SlowStepPeriod(steps);
}

TEST(RandomTraces, NothingBreaksAndSumsHold) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    RandomTrace random(seed);
    const Index index(random.trace());
    for (const Rank& rank : index.ranks()) {
      const Steps steps = FindSteps(index, rank.link_domain);
      EXPECT_EQ(steps.durations_ms.size(), steps.counted());
      for (const Scope& scope : {Scope{}, ScopeOf(steps, rank.link_domain), DeviceScopeOf(steps, rank.link_domain)}) {
        Check(index, steps, scope);
      }
    }
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace warpscope::analysis
