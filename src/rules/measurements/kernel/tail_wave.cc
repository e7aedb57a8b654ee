// The last wave of blocks fills only part of the device. Must not claim: anything of grids of many waves, or whose SMs
// end together.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

// Own thresholds: from the fifth wave on a tail costs less than a tenth, and SMs that end together have none.
constexpr double kMaxWaves = 5, kTailRatio = 0.15, kEvenRatio = 0.9;

KernelOutcome Judge(const KernelCase& kernel) {
  const auto waves = kernel[Counter::kWaves];
  if (!waves) return Misses({Counter::kWaves});
  const double whole = std::ceil(*waves);
  if (*waves < 1 || *waves > kMaxWaves || 1 - *waves / whole < kTailRatio) return Silent();
  const auto average = kernel[Counter::kCyclesActiveAvg], elapsed = kernel[Counter::kCyclesElapsed];
  if (!average || !elapsed || !(*elapsed > 0)) return Misses({Counter::kCyclesActiveAvg, Counter::kCyclesElapsed});
  const double busy = *average / *elapsed;
  if (busy >= kEvenRatio) return Silent();
  // The same work with all SMs busy to the end, each with as many warps as in a full wave.
  const auto possible = kernel[Counter::kTheoreticalOccupancyPct], achieved = kernel[Counter::kOccupancyPct];
  Change change;
  change.evens = true;
  if (possible && achieved && *achieved > 0) change.warps = std::max(1.0, *possible / *achieved);
  std::optional<double> ratio = TimeRatio(PaceOf(kernel), change);
  if (!ratio) ratio = *waves / whole;
  ratio = std::max(*ratio, *waves / whole);
  if (*ratio > kWorthwhileRatio || (!kernel.HasModel() && 1 - busy < kWorthwhileShare)) return Silent();

  Diagnosis diagnosis;
  diagnosis.title =
      fmt::format("its last wave of blocks is part full: {:.3g} waves take the time of {}, and SMs stand idle {} of it",
                  *waves, Count(whole), Pct(100 * (1 - busy)));
  diagnosis.evidence = {Shown(kernel, Counter::kWaves), Shown(kernel, Counter::kCyclesActiveAvg, "cycles"),
                        Shown(kernel, Counter::kCyclesElapsed, "cycles")};
  diagnosis.actions = {
      {"Choose a grid that fills whole waves: more, smaller blocks, or as many as fit at once with a loop.",
       "cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, threads, shared);\n"
       "kernel<<<sm_count * per_sm, threads, shared>>>(...);  // each block loops over its share"}};
  if (kernel.HasModel()) SetTimeRatio(diagnosis, *ratio);
  else diagnosis.waste_ratio = 1 - busy;
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kTailWaveCause;
const KernelCause kTailWaveCause = {
    .id = "tail_wave",
    .dimension = Dimension::kCompute,
    .judge = Judge,
    .tool_rules = "LaunchConfiguration",
    .concept_text =
        "A device runs as many blocks at once as fit: a wave. The last wave takes as long as a full one, even if "
        "it holds a few blocks only.",
};

}  // namespace warpscope::rules
