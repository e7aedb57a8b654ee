// small_batch: a step works on so little data that its length is set by what each step costs the host, not by the
// work. Trigger: most kernel time is in launches of less than one wave of blocks, and a replay with twice the work a
// step, however the kernels grow, takes hardly longer. Told is the largest of 2, 4, 8 ... 64 times the work for which
// that holds. The gain is per sample: the step itself does not get shorter.
// Must not claim: that memory or the training allows a larger batch, nor anything once the device is busy most of the
// time.
#include <algorithm>

#include "analysis/kernels.h"
#include "rules/application/host_work.h"
#include "rules/build.h"
#include "rules/framework/host_copies.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::kNone;

constexpr double kMinSmallShare = 0.6;  // of kernel time, in launches under one wave
constexpr double kMaxBusyPct = 60;
constexpr double kMaxOtherPct = 25;  // of the step in long host work: then that is what to look at
constexpr double kMinLaunches = 20;  // a step: less is a loop within the step, not a batch
constexpr int kMostTimes = 64;       // the work that is tried, of what it is
constexpr double kMaxGrowth = 1.25;  // of the step, for so many times the work

// Waves of a kernel's blocks on the device; absent without geometry or SM count.
std::optional<double> WavesOf(const Context& c, uint32_t gpu_row) {
  const model::LaunchConfig* config = c.trace.Launch(gpu_row);
  if (config == nullptr || config->grid[0] == 0) return std::nullopt;
  const model::Device& device = c.trace.devices[c.trace.streams[c.trace.gpu.stream[gpu_row]].device];
  if (const auto waves = analysis::LaunchWaves(device, *config)) return waves->waves;
  if (!device.sm_count) return std::nullopt;
  const double blocks = static_cast<double>(config->grid[0]) * config->grid[1] * config->grid[2];
  return blocks / *device.sm_count;
}

struct Fill {
  int64_t kernel_ns = 0, small_ns = 0, known_ns = 0;
};

// So many times the work: kernels under one wave keep their length until the wave is full. `all_grow`: none does.
WhatIf Larger(const Context& c, int times, bool all_grow, Fill& fill) {
  WhatIf change;
  for (const uint32_t row : c.gpu_rows) {
    if (c.trace.gpu.kind[row] != model::GpuKind::kKernel) continue;
    const int64_t ns = c.trace.gpu.dur_ns[row];
    fill.kernel_ns += ns;
    const auto waves = WavesOf(c, row);
    if (waves) fill.known_ns += ns;
    const bool small = waves && *waves < 1;
    if (small) fill.small_ns += ns;
    const double growth = small && !all_grow ? std::max(1.0, times * *waves) : times;
    change.SetGpuDuration(row, Scaled(ns, growth));
  }
  return change;
}

struct Batch {
  int times = 1;  // 1: not even twice the work goes
  analysis::Prediction point, cautious;
};

// The largest batch that hardly lengthens the step, even if every kernel grows with it.
Batch LargestBatch(const Context& c) {
  Batch batch;
  Fill ignored;
  for (int times = 2; times <= kMostTimes; times *= 2) {
    const auto cautious = c.Predict(Larger(c, times, true, ignored), analysis::Side::kGpu);
    if (!cautious || cautious->step_ms_before <= 0 || cautious->step_ms_after > kMaxGrowth * cautious->step_ms_before)
      break;
    const auto point = c.Predict(Larger(c, times, false, ignored), analysis::Side::kGpu);
    if (!point) break;
    batch = {times, *point, *cautious};
  }
  return batch;
}

// A step with more samples, told per sample. At least what twice the batch brings, at most what so many times bring if
// the step stays as it is.
analysis::Prediction PerSample(const Batch& batch) {
  const double before = batch.point.step_ms_before;
  const auto gain = [&](double after_ms, double times) { return 100 * (1 - after_ms / times / before); };
  analysis::Prediction result;
  result.step_ms_before = before;
  result.step_ms_after = batch.point.step_ms_after / batch.times;
  result.gain_pct = gain(batch.point.step_ms_after, batch.times);
  result.low_pct = std::min(result.gain_pct, gain(batch.cautious.step_ms_after * 1.1, 2));
  result.high_pct = std::max(result.gain_pct, gain(before, 2 * batch.times));
  return result;
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  if (c.busy_pct() > kMaxBusyPct || static_cast<double>(c.gpu_rows.size()) < kMinLaunches * c.step_count())
    return Clean();
  if (c.SharePct(TotalNs(LongHostWork(c))) > kMaxOtherPct) return Clean();
  Fill fill;
  Larger(c, 2, false, fill);
  if (fill.kernel_ns == 0) return Clean();
  if (2 * fill.known_ns < fill.kernel_ns) {
    return Abstain("the launches' grids or the device's size are unknown, so how full the device is cannot be told",
                   "torch.profiler with CUDA activities: it writes grids and deviceProperties");
  }
  if (static_cast<double>(fill.small_ns) < kMinSmallShare * static_cast<double>(fill.kernel_ns)) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const Batch batch = LargestBatch(c);
  if (batch.times < 2) return Clean();
  const std::string times = std::to_string(batch.times);

  Finding finding;
  finding.predicted = PerSample(batch);
  finding.share_pct = 100 - c.busy_pct();
  if (batch.times == 2) {
    finding.title = "The batch is too small to fill the GPU: twice the data would take hardly longer, " +
                    Pct(finding.predicted->gain_pct) + " less time per sample";
  } else {
    finding.title = "The batch is too small to fill the GPU: " + times + " times the data would take hardly longer, " +
                    Pct(finding.predicted->gain_pct) + " less time per sample";
  }
  finding.evidence.push_back(
      {Pct(100.0 * static_cast<double>(fill.small_ns) / static_cast<double>(fill.kernel_ns)) +
           " of the kernel time is in launches too small to give every processor of the GPU one block",
       c.Query("kernels")});
  finding.evidence.push_back({"the GPU is busy " + Pct(c.busy_pct()) + " of the step; a replay with " + times +
                                  " times the work a step takes " + Ms(batch.point.step_ms_after) + " instead of " +
                                  Ms(batch.point.step_ms_before),
                              c.Query("launches")});
  finding.evidence.push_back({"the times given are per sample: one step does not get shorter", ""});
  finding.actions.push_back(
      {"Raise the batch until the step grows with it (and the learning rate with it, when training).",
       "DataLoader(..., batch_size=" + std::to_string(batch.times) + " * batch_size)"});
  finding.actions.push_back({"Serving: gather the requests of some milliseconds into one batch.",
                             "batch = [queue.get()] + [queue.get_nowait() for _ in range(queue.qsize())]"});
  finding.actions.push_back({"If the batch must stay small: capture the step in a CUDA graph.",
                             "model = torch.compile(model, mode=\"reduce-overhead\")"});
  finding.verify = "Time both batch sizes without a profiler and compare samples per second.";
  finding.confidence = Confidence::kMedium;
  return Found(std::move(finding));
}

}  // namespace

extern const Rule kSmallBatchRule;
const Rule kSmallBatchRule = {"small_batch",
                              Layer::kApplication,
                              Dimension::kCompute,
                              Breadth::kResidual,
                              Evaluate,
                              "A GPU has thousands of arithmetic units. A small batch occupies few of them, yet every "
                              "step costs the same launches "
                              "and Python code. A larger batch does more work in the same time."};

}  // namespace warpscope::rules
