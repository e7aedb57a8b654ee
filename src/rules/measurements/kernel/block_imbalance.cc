// Some SMs work much longer than others, or few warps work on when most are done: blocks carry different amounts of
// work. "Imbalance between SMs" of other tools is this. Must not claim: which blocks are long, which only the program
// knows; nor anything of grids of less than two waves, where the number of blocks makes the difference (small_grid,
// tail_wave).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kImbalance = 1.2;  // longest to average: triage guide
// Warps there on average, of those that fit: fewer in a long grid, and most of an SM waits for its last blocks. Own.
constexpr double kThinRatio = 0.5;
constexpr double kEvenRatio = 0.9;  // of the possible warps, that even blocks reach. Own: measured 0.82-0.95.

KernelOutcome Judge(const KernelCase& kernel) {
  const auto longest = kernel[Counter::kCyclesActiveMax], average = kernel[Counter::kCyclesActiveAvg];
  if (!longest || !average) return Misses({Counter::kCyclesActiveMax, Counter::kCyclesActiveAvg});
  if (!(*average > 0)) return Silent();
  const auto waves = kernel[Counter::kWaves];
  if (!waves) return Misses({Counter::kWaves});
  // With few blocks the difference is their number, not their size.
  constexpr double kManyWaves = 2;
  if (*waves < kManyWaves) return Silent();
  // Nor where the last of few waves is part full: see tail_wave.
  constexpr double kFewWaves = 5, kTailRatio = 0.15;
  if (*waves <= kFewWaves && 1 - *waves / std::ceil(*waves) >= kTailRatio) return Silent();
  const auto achieved = kernel[Counter::kOccupancyPct], possible = kernel[Counter::kTheoreticalOccupancyPct];
  const double filled = achieved && possible && *possible > 0 ? *achieved / *possible : 1;
  // Blocks of a long grid that are done soon leave room by the time that starting them takes.
  constexpr double kManyBlocks = 32;
  const bool is_thin = filled < kThinRatio && *waves < kManyBlocks;
  if (*longest / *average <= kImbalance && !is_thin) return Silent();
  // Evenly spread, all SMs work to the end with the warps that fit.
  const Pace pace = PaceOf(kernel);
  Change change;
  change.warps = std::max(1.0, kEvenRatio / filled);
  change.evens = true;
  std::optional<double> ratio = TimeRatio(pace, change);
  if (pace.cycles == 0 || !ratio) ratio = *average / std::max(*longest, *average);
  if (*ratio > kWorthwhileRatio) return Silent();

  Diagnosis diagnosis;
  diagnosis.title =
      *longest / *average > kImbalance
          ? fmt::format("its blocks are uneven: the busiest SM works {:.3g} times as long as the average",
                        *longest / *average)
          : fmt::format("its blocks are uneven: only {} of the warps that fit are there on average", Pct(100 * filled));
  diagnosis.evidence = {Shown(kernel, Counter::kCyclesActiveMax, "cycles"),
                        Shown(kernel, Counter::kCyclesActiveAvg, "cycles")};
  if (achieved && possible)
    diagnosis.evidence.push_back(fmt::format("{} of the warps of an SM are there, {} fit ({}, {})", Pct(*achieved),
                                             Pct(*possible), kernel.Name(Counter::kOccupancyPct),
                                             kernel.Name(Counter::kTheoreticalOccupancyPct)));
  diagnosis.evidence.push_back(Shown(kernel, Counter::kWaves));
  diagnosis.actions = {
      {"Even out the work of blocks: split long rows, sort work by size (longest first), or take it from a "
       "shared counter.",
       "for (int i = atomicAdd(&next, 1); i < n; i = atomicAdd(&next, 1)) work(i);"}};
  SetTimeRatio(diagnosis, *ratio);
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kBlockImbalanceCause;
const KernelCause kBlockImbalanceCause = {
    .id = "block_imbalance",
    .dimension = Dimension::kCompute,
    .judge = Judge,
    .tool_rules = "WorkloadImbalance",
    .concept_text =
        "A kernel ends with its last block. When blocks carry different amounts of work, most of the device waits for "
        "the SMs that got the long ones.",
};

}  // namespace warpscope::rules
