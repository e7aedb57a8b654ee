#include "rules/measurements/kernel/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kLowOccupancyPct = 60;  // triage guide
constexpr double kStarved = 0.5;         // instructions a cycle and scheduler: triage guide
constexpr double kLatencyPct = 50;       // of warp time
// What busy units reach in practice; a prediction does not go beyond. Own constant: roofs of measured kernels are at
// 90-98 %.
constexpr double kReachablePct = 95;

Counter LimitOf(Resource resource) {
  switch (resource) {
    case Resource::kRegisters: return Counter::kLimitRegisters;
    case Resource::kShared: return Counter::kLimitShared;
    case Resource::kBlocks: return Counter::kLimitBlocks;
  }
  return Counter::kLimitRegisters;
}

// Blocks that fit if `resource` were no limit; absent if no other limit is known.
std::optional<double> NextLimit(const KernelCase& kernel, Counter without) {
  std::optional<double> least;
  for (const Counter counter : {Counter::kLimitWarps, Counter::kLimitRegisters, Counter::kLimitShared,
                                Counter::kLimitBlocks, Counter::kLimitBarriers}) {
    const auto limit = kernel[counter];
    if (counter != without && limit && *limit > 0 && (!least || *limit < *least)) least = limit;
  }
  return least;
}

std::string_view Word(Resource resource) {
  switch (resource) {
    case Resource::kRegisters: return "registers";
    case Resource::kShared: return "shared memory";
    case Resource::kBlocks: return "blocks of this size";
  }
  return "";
}

std::vector<Action> ActionsOf(Resource resource, const KernelCase& kernel) {
  switch (resource) {
    case Resource::kRegisters: {
      const auto registers = kernel[Counter::kRegisters];
      return {{fmt::format("Use fewer registers a thread{}: shorten the life of values, unroll less, or cap them and "
                           "check that nothing spills.",
                           registers ? " (now " + Count(*registers) + ")" : ""),
               "__global__ void __launch_bounds__(256, 4) kernel(...)  // at least 4 blocks of 256 threads an SM"}};
    }
    case Resource::kShared:
      return {
          {"Use less shared memory a block: smaller tiles, half precision in the tile, or registers for part of it.",
           "constexpr int kTile = 32;  // instead of 64: a quarter of the shared memory"}};
    case Resource::kBlocks:
      return {{"Launch larger blocks: an SM holds only so many, whatever their size.",
               "kernel<<<(n + 255) / 256, 256>>>(...);  // instead of 32 or 64 threads"}};
  }
  return {};
}

}  // namespace

KernelOutcome JudgeOccupancy(const KernelCase& kernel, Resource resource) {
  const Counter counter = LimitOf(resource);
  const auto theoretical = kernel[Counter::kTheoreticalOccupancyPct], limit = kernel[counter];
  if (!theoretical || !limit) return Misses({Counter::kTheoreticalOccupancyPct, counter});
  const auto next = NextLimit(kernel, counter);
  if (*theoretical >= kLowOccupancyPct || !(*limit > 0) || !next || *next <= *limit) return Silent();
  const auto issue = kernel[Counter::kIssueActive];
  const std::vector<UnitUse> units = UnitsByUse(kernel);
  if (!issue || units.empty()) return Misses({Counter::kIssueActive, Counter::kComputePct});
  if (units.front().pct >= kLowPct || *issue >= kStarved) return Silent();
  if (const auto waves = kernel[Counter::kWaves]; waves && *waves < 1)
    return Silent();  // too few blocks: see small_grid
  if (!kernel.counters.stalls.empty() && LatencyPct(kernel) < kLatencyPct) return Silent();

  Diagnosis diagnosis;
  const double after_pct = std::min(100.0, *theoretical * *next / *limit);
  diagnosis.title = fmt::format("too few warps hide its latency: its {} allow {} of the warps of an SM", Word(resource),
                                Pct(*theoretical));
  diagnosis.evidence.push_back(fmt::format("{} block(s) an SM because of {} ({}), {} without that limit", Count(*limit),
                                           Word(resource), analysis::CounterName(counter), Count(*next)));
  diagnosis.evidence.push_back(Shown(kernel, Counter::kIssueActive, "instructions a cycle and scheduler"));
  if (kernel[Counter::kOccupancyPct]) diagnosis.evidence.push_back(Shown(kernel, Counter::kOccupancyPct, "%"));
  if (const double latency = LatencyPct(kernel); latency > 0)
    diagnosis.evidence.push_back(fmt::format("warps wait for latency {} of their time", Pct(latency)));
  diagnosis.actions = ActionsOf(resource, kernel);
  // Waiting warps overlap: as many times the warps do as many times the work, until a unit is full.
  diagnosis.time_ratio = std::clamp(std::max(*theoretical / after_pct, units.front().pct / kReachablePct), 0.0, 1.0);
  diagnosis.waste_ratio = 1 - *diagnosis.time_ratio;
  if (kernel.counters.stalls.empty()) diagnosis.confidence = Confidence::kLow;
  return Fires(std::move(diagnosis));
}

}  // namespace warpscope::rules
