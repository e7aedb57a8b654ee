#include "rules/kernel/occupancy_limits.h"

#include "rules/build.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Limiter;
using analysis::WhatIf;

constexpr double kMinSharePct = 5;
constexpr int64_t kMinMeanNs = 10'000;
constexpr double kLowOccupancyPct = 30;
// Waiting for memory is hidden once about half of the warps are there; more rarely helps (CUDA C++ Best Practices).
constexpr double kEnoughPct = 50;
constexpr double kNearBandwidthRatio = 0.6;

double PointSpeedup(double occupancy_pct) {
  return std::clamp(0.5 * kEnoughPct / std::max(occupancy_pct, 1.0), 1.0, 2.0);
}
double HighSpeedup(double occupancy_pct) { return std::clamp(kEnoughPct / std::max(occupancy_pct, 1.0), 1.0, 6.0); }

template <typename F>
WhatIf Change(const Context& c, const std::vector<LaunchShape>& shapes, const F& speedup) {
  WhatIf change;
  for (const LaunchShape& shape : shapes) {
    const double factor = speedup(shape.waves.occupancy.occupancy_pct);
    for (const uint32_t row : shape.rows) {
      change.SetGpuDuration(row, static_cast<int64_t>(static_cast<double>(c.trace.gpu.dur_ns[row]) / factor));
    }
  }
  return change;
}

uint32_t Threads(const model::LaunchConfig& config) { return config.block[0] * config.block[1] * config.block[2]; }

std::string Ladder(const Context& c, const LaunchShape& shape, Limiter limiter) {
  const auto limits = analysis::LimitsOf(*MainDevice(c));
  if (!limits) return "";
  const model::LaunchConfig& config = c.trace.launch_configs[shape.config];
  const analysis::BlockShape block{Threads(config), config.registers_per_thread.value_or(0),
                                   config.shared_bytes.value_or(0)};
  const auto wanted =
      limiter == analysis::kLimitedByRegisters ? analysis::OccupancyStep::kRegisters : analysis::OccupancyStep::kShared;
  for (const analysis::OccupancyStep& step : analysis::WhatWouldLift(*limits, block)) {
    if (step.what != wanted) continue;
    const std::string need = wanted == analysis::OccupancyStep::kRegisters
                                 ? Plural(step.shape.registers_per_thread, "register") + " a thread"
                                 : Bytes(step.shape.shared_bytes) + " of shared memory a block";
    return "with " + need + " it would be " + Pct(step.occupancy.occupancy_pct);
  }
  return "";
}

}  // namespace

std::vector<LaunchShape> LimitedShapes(const Context& c, Limiter limiter) {
  auto shapes = NotableShapes(c, kMinSharePct, kMinMeanNs,
                              limiter == analysis::kLimitedByShared ? "occupancy_shared" : "occupancy_registers");
  std::erase_if(shapes, [&](const LaunchShape& shape) {
    const analysis::Occupancy& occupancy = shape.waves.occupancy;
    return shape.library || shape.waves.waves < 1 || occupancy.active_blocks_per_sm == 0 ||
           occupancy.occupancy_pct >= kLowOccupancyPct || occupancy.limiters != limiter ||
           NearBandwidth(c, shape, kNearBandwidthRatio);
  });
  return shapes;
}

Outcome ConcludeLimited(const Context& c, Finding finding, const std::vector<LaunchShape>& shapes, Limiter limiter,
                        std::string_view resource) {
  if (!c.sim) return AbstainNoSteps(c);
  const LaunchShape& worst = shapes.front();
  const model::LaunchConfig& config = c.trace.launch_configs[worst.config];
  int64_t total_ns = 0;
  for (const LaunchShape& shape : shapes) total_ns += shape.total_ns;
  finding.subject = ShortName(c, worst.rows.front());
  finding.share_pct = c.SharePct(total_ns);
  finding.title = "A kernel takes so " + std::string(resource) + " that only " +
                  Pct(worst.waves.occupancy.occupancy_pct) + " of the GPU's threads can be in flight; it takes " +
                  Pct(*finding.share_pct) + " of the step";
  std::string text = Plural(Threads(config), "thread") + " a block";
  if (config.registers_per_thread) text += ", " + Plural(*config.registers_per_thread, "register") + " a thread";
  if (config.shared_bytes) text += ", " + Bytes(*config.shared_bytes) + " of shared memory a block";
  text += ": " + Plural(worst.waves.occupancy.active_blocks_per_sm, "block") +
          (worst.waves.occupancy.active_blocks_per_sm == 1 ? " fits" : " fit") + " on a multiprocessor";
  const std::string ladder = Ladder(c, worst, limiter);
  if (!ladder.empty()) text += "; " + ladder;
  finding.evidence.push_back({text, c.Query("kernels --by geometry")});
  finding.evidence.push_back(
      {"a suspicion: whether the kernel waits for memory, so that more threads would help, only counters show",
       CountersCommand(c, worst.rows.front())});
  const std::string place = Place(c, c.trace.gpu.call[worst.rows.front()]);
  if (!place.empty()) finding.evidence.push_back({"launched by " + place, c.Query("ops")});
  finding.verify =
      "Record again: occupancy of the kernel in `warpscope kernels` should be over 50 %, and its time lower.";
  finding.confidence = Confidence::kLow;
  finding.change = Change(c, shapes, PointSpeedup);
  const WhatIf low;
  const WhatIf high = Change(c, shapes, HighSpeedup);
  return Conclude(c, std::move(finding), DeviceSide(c), &low, &high);
}

}  // namespace warpscope::rules
