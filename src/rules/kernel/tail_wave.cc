// tail_wave: the last wave of a kernel's blocks fills only a part of the device. Trigger: kernels of one to a few waves
// whose blocks a multiprocessor do not divide evenly. Must not claim: a loss for kernels of many waves, nor that blocks
// take equal time (the low end takes half of the loss); library products only where the loss is large.
#include <cmath>

#include "rules/build.h"
#include "rules/kernel/counter_join.h"
#include "rules/kernel/launch_shapes.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;

constexpr double kMinSharePct = 5;
constexpr int64_t kMinMeanNs = 20'000;
constexpr double kMaxEvenRatio = 0.8;
constexpr double kMaxWaves = 5;

struct Tail {
  LaunchShape shape;
  double even_ratio;  // blocks a multiprocessor, over the same rounded up: throughput lost to the fullest one
};

std::vector<Tail> FindTails(const Context& c, uint32_t sm_count) {
  std::vector<Tail> tails;
  for (LaunchShape& shape : NotableShapes(c, kMinSharePct, kMinMeanNs, "tail_wave")) {
    if (shape.library || shape.waves.waves <= 1.0 || shape.waves.waves > kMaxWaves) continue;
    const double each = static_cast<double>(shape.waves.blocks) / sm_count;
    const double even = each / std::ceil(each);
    if (even > kMaxEvenRatio) continue;
    tails.push_back({std::move(shape), even});
  }
  return tails;
}

// part: 1 = all multiprocessors end together.
WhatIf Change(const Context& c, const std::vector<Tail>& tails, double part, bool by_waves) {
  WhatIf change;
  for (const Tail& tail : tails) {
    const double efficiency =
        by_waves ? std::min(tail.even_ratio, tail.shape.waves.tail_efficiency_ratio) : tail.even_ratio;
    const double ratio = 1 - part * (1 - efficiency);
    for (const uint32_t row : tail.shape.rows) {
      change.SetGpuDuration(row, static_cast<int64_t>(static_cast<double>(c.trace.gpu.dur_ns[row]) * ratio));
    }
  }
  return change;
}

// From launch data alone, of kernels without counters.
Outcome Guess(const Context& c) {
  const model::Device* device = MainDevice(c);
  if (device == nullptr || !device->sm_count || *device->sm_count == 0) return Clean();  // small_grid says so
  const auto tails = FindTails(c, *device->sm_count);
  if (tails.empty()) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const LaunchShape& worst = tails.front().shape;
  int64_t total_ns = 0;
  for (const Tail& tail : tails) total_ns += tail.shape.total_ns;

  Finding finding;
  finding.subject = ShortName(c, worst.rows.front());
  finding.share_pct = c.SharePct(total_ns);
  finding.title =
      "A kernel's last round of blocks leaves most of the GPU idle: " + Count(static_cast<double>(worst.waves.blocks)) +
      " blocks on " + Count(*device->sm_count) + " multiprocessors";
  for (size_t i = 0; i < tails.size() && i < 3; ++i) {
    const LaunchShape& shape = tails[i].shape;
    finding.evidence.push_back({ShortName(c, shape.rows.front()) + ": " + Count(shape.waves.waves) + " waves of " +
                                    Plural(shape.waves.occupancy.active_blocks_per_sm, "resident block") +
                                    " a multiprocessor (" + GeometryText(c.trace.launch_configs[shape.config]) + "), " +
                                    Pct(c.SharePct(shape.total_ns)) + " of the step",
                                c.Query("kernels --by geometry")});
  }
  finding.evidence.push_back({"if all blocks take equally long, " + Pct(100 * (1 - tails.front().even_ratio)) +
                                  " of the kernel's time is that tail",
                              CountersCommand(c, worst.rows.front())});
  finding.actions.push_back(
      {"Cut the work finer, so that the last wave is full or small against the rest, or choose a batch that fills "
       "whole waves.",
       "batch = waves * sm_count * blocks_per_sm // blocks_per_sample"});
  finding.actions.push_back(
      {"In CUDA C++: start exactly as many blocks as fit and let them take pieces in turn.",
       "cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, shared);\n"
       "kernel<<<fit * prop.multiProcessorCount, threads, shared>>>(...);  // grid-stride loop over pieces"});
  finding.verify = "Record again: waves in `warpscope kernels` should be a whole number, or well over five.";
  finding.confidence = Confidence::kMedium;
  finding.change = Change(c, tails, 1.0, false);
  const WhatIf low = Change(c, tails, 0.5, false);
  const WhatIf high = Change(c, tails, 1.0, true);
  return Conclude(c, std::move(finding), DeviceSide(c), &low, &high);
}

Outcome Evaluate(const Context& c) { return WithCounters(c, "tail_wave", Guess(c)); }

}  // namespace

extern const Rule kTailWaveRule;
const Rule kTailWaveRule = {
    "tail_wave",
    Layer::kKernel,
    Dimension::kCompute,
    Breadth::kSpecific,
    Evaluate,
    "Blocks of a kernel run in rounds: as many at a time as fit on the device. If one block more than fits is left, it "
    "takes a round of its own, and nearly all of the device waits for it."};

}  // namespace warpscope::rules
