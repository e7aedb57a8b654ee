#include "rules/measurements/kernel/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kLowOccupancyPct = 60;  // triage guide
// Blocks of the last wave end at different times: what that costs, in waves. Own constant: measured 0.2-0.3.
constexpr double kRaggedWaves = 0.25;

Counter LimitOf(Resource resource) {
  switch (resource) {
    case Resource::kRegisters: return Counter::kLimitRegisters;
    case Resource::kShared: return Counter::kLimitShared;
    case Resource::kBlocks: return Counter::kLimitBlocks;
  }
  return Counter::kLimitRegisters;
}

// Blocks that fit if `resource` were no limit; absent if no other limit is known. Shared memory is cut for the kernel:
// for blocks that use none, its limit is the driver's choice.
std::optional<double> NextLimit(const KernelCase& kernel, Counter without) {
  std::optional<double> least;
  const auto fixed = kernel[Counter::kSharedStatic], asked = kernel[Counter::kSharedDynamic];
  const bool uses_none = fixed && asked && *fixed + *asked == 0;
  for (const Counter counter : {Counter::kLimitWarps, Counter::kLimitRegisters, Counter::kLimitShared,
                                Counter::kLimitBlocks, Counter::kLimitBarriers}) {
    const auto limit = kernel[counter];
    if (uses_none && counter == Counter::kLimitShared) continue;
    // Every block holds a barrier: their number is that of blocks again.
    if (without == Counter::kLimitBlocks && counter == Counter::kLimitBarriers) continue;
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
      return {
          {fmt::format("Use fewer registers a thread{}: shorten the life of values, unroll less, or cap them and "
                       "check that nothing spills.",
                       registers ? " (now " + Count(*registers) + ")" : ""),
           kernel.HasModel()
               ? "__global__ void __launch_bounds__(256, 4) kernel(...)  // at least 4 blocks of 256 threads an SM"
               : "__attribute__((amdgpu_waves_per_eu(4))) __global__ void kernel(...)  // 4 waves a SIMD at least"}};
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

// Without a model: groups of waves wait for that resource, waves wait for memory, and nothing is busy.
bool IsHeldUp(const KernelCase& kernel, Resource resource) {
  const auto full = kernel[resource == Resource::kRegisters ? Counter::kVgprFullPct : Counter::kLdsFullPct];
  return full && *full > 100 * kWorthwhileShare && *kernel[Counter::kWaveWaitPct] >= kManyWaitsPct &&
         UnitsByUse(kernel).front().pct < kLowPct;
}

}  // namespace

KernelOutcome JudgeOccupancy(const KernelCase& kernel, Resource resource) {
  const Counter counter = LimitOf(resource);
  const auto theoretical = kernel[Counter::kTheoreticalOccupancyPct], limit = kernel[counter];
  if (!theoretical || !limit) return Misses({Counter::kTheoreticalOccupancyPct, counter});
  const auto next = NextLimit(kernel, counter);
  if (*theoretical >= kLowOccupancyPct || !(*limit > 0) || !next || *next <= *limit) return Silent();
  const Counter full = resource == Resource::kRegisters ? Counter::kVgprFullPct : Counter::kLdsFullPct;
  if (!kernel.HasModel()) {
    if (!kernel[full] || !kernel[Counter::kWaveWaitPct]) return Misses({full, Counter::kWaveWaitPct});
    if (!kernel[Counter::kComputePct] || !kernel[Counter::kDramPct])
      return Misses({Counter::kComputePct, Counter::kDramPct});
  } else if (!kernel[Counter::kIssueActive] || UnitsByUse(kernel).empty())
    return Misses({Counter::kIssueActive, Counter::kComputePct});
  const auto waves = kernel[Counter::kWaves];
  if (waves && *waves < 1) return Silent();  // too few blocks: see small_grid
  if (UnitsByUse(kernel).front().pct >= kHighPct) return Silent();
  const double after_pct = std::min(100.0, *theoretical * *next / *limit);
  const double more = after_pct / *theoretical;
  // With more blocks at once there are fewer waves, of which the last is ragged.
  const auto uneven = [&](double times) { return waves ? 1 + kRaggedWaves * times / std::max(*waves, times) : 1; };
  Change change;
  change.warps = more * uneven(1) / uneven(more);
  const Pace pace = PaceOf(kernel);
  const auto ratio = TimeRatio(pace, change);
  if (kernel.HasModel() ? !ratio || *ratio > kWorthwhileRatio || pace.waits.empty() : !IsHeldUp(kernel, resource))
    return Silent();

  Diagnosis diagnosis;
  diagnosis.title = fmt::format("too few warps hide its latency: its {} allow {} of the warps of an SM", Word(resource),
                                Pct(*theoretical));
  diagnosis.evidence.push_back(fmt::format("{} block(s) an SM because of {} ({}), {} without that limit", Count(*limit),
                                           Word(resource), kernel.Name(counter), Count(*next)));
  if (kernel.HasModel()) {
    diagnosis.evidence.push_back(Shown(kernel, Counter::kIssueActive, "instructions a cycle and scheduler"));
  } else {
    diagnosis.evidence.push_back(Shown(kernel, full, "% of the cycles: groups of warps wait for room"));
    diagnosis.evidence.push_back(Shown(kernel, Counter::kWaveWaitPct, "%"));
    diagnosis.evidence.push_back(Shown(kernel, Counter::kDramPct, "%"));
    diagnosis.evidence.push_back(Shown(kernel, Counter::kComputePct, "%"));
  }
  if (kernel[Counter::kOccupancyPct]) diagnosis.evidence.push_back(Shown(kernel, Counter::kOccupancyPct, "%"));
  if (const double latency = LatencyPct(kernel); latency > 0)
    diagnosis.evidence.push_back(fmt::format(
        "warps wait for latency {} of their time: all that is neither their turn nor a busy unit", Pct(latency)));
  diagnosis.actions = ActionsOf(resource, kernel);
  if (ratio) SetTimeRatio(diagnosis, *ratio);
  else diagnosis.waste_ratio = *kernel[Counter::kWaveWaitPct] / 100 * (1 - *theoretical / after_pct);
  return Fires(std::move(diagnosis));
}

}  // namespace warpscope::rules
