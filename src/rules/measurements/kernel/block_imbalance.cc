// Some SMs work much longer than others.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kImbalance = 1.2;  // longest to average: triage guide

KernelOutcome Judge(const KernelCase& kernel) {
  const auto longest = kernel[Counter::kCyclesActiveMax], average = kernel[Counter::kCyclesActiveAvg];
  if (!longest || !average) return Misses({Counter::kCyclesActiveMax, Counter::kCyclesActiveAvg});
  if (!(*average > 0) || *longest / *average <= kImbalance) return Silent();
  const auto waves = kernel[Counter::kWaves];
  if (!waves) return Misses({Counter::kWaves});
  // With few blocks the difference is their number, not their size: see small_grid and tail_wave.
  constexpr double kManyWaves = 2;
  if (*waves < kManyWaves) return Silent();

  Diagnosis diagnosis;
  diagnosis.title = fmt::format("its blocks are uneven: the busiest SM works {:.3g} times as long as the average",
                                *longest / *average);
  diagnosis.evidence = {Shown(kernel, Counter::kCyclesActiveMax, "cycles"),
                        Shown(kernel, Counter::kCyclesActiveAvg, "cycles")};
  diagnosis.actions = {
      {"Even out the work of blocks: split long rows, sort work by size (longest first), or take it from a "
       "shared counter.",
       "for (int item = atomicAdd(&next, 1); item < n; item = atomicAdd(&next, 1)) work(item);"}};
  diagnosis.time_ratio = std::clamp(*average / *longest, 0.0, 1.0);
  diagnosis.waste_ratio = 1 - *diagnosis.time_ratio;
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
