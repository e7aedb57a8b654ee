// Too few blocks for the device. Must not claim: that the work can be divided further, which only the program knows;
// the gain is that of the same work spread over all SMs.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kBusyRatio = 0.8;  // of the SMs' cycles: fewer, and the device stands partly idle. Own threshold.

std::optional<double> TimeRatioOf(const KernelCase& kernel) {
  const Pace pace = PaceOf(kernel);
  Change change;
  change.evens = true;
  // All SMs work, each with as many warps as fit.
  const auto possible = kernel[Counter::kTheoreticalOccupancyPct], achieved = kernel[Counter::kOccupancyPct];
  if (possible && achieved && *achieved > 0) change.warps = std::max(1.0, *possible / *achieved);
  return TimeRatio(pace, change);
}

KernelOutcome Judge(const KernelCase& kernel) {
  const auto waves = kernel[Counter::kWaves], sms = kernel[Counter::kSmCount];
  std::optional<double> blocks = kernel[Counter::kGridSize];
  if (!blocks && kernel.config != nullptr && kernel.config->grid[0] > 0)
    blocks = static_cast<double>(kernel.config->grid[0]) * kernel.config->grid[1] * kernel.config->grid[2];
  if (!waves && (!blocks || !sms)) return Misses({Counter::kWaves, Counter::kGridSize, Counter::kSmCount});
  if (waves ? *waves >= 1 : *blocks >= *sms) return Silent();  // triage guide: waves of blocks an SM < 1
  const std::vector<UnitUse> units = UnitsByUse(kernel);
  if (!units.empty() && units.front().pct >= kLowPct) return Silent();  // busy all the same
  const auto active = kernel[Counter::kCyclesActiveAvg], elapsed = kernel[Counter::kCyclesElapsed];
  std::optional<double> busy;
  if (active && elapsed && *elapsed > 0) busy = std::min(1.0, *active / *elapsed);
  else if (blocks && sms && *sms > 0) busy = std::min(1.0, *blocks / *sms);
  if (!busy && waves) busy = *waves;
  if (*busy >= kBusyRatio || (blocks && sms && *blocks >= *sms)) return Silent();

  Diagnosis diagnosis;
  diagnosis.title =
      blocks && sms ? fmt::format("its grid is too small: {} blocks for {} SMs, which stand idle {} of the time",
                                  Count(*blocks), Count(*sms), Pct(100 * (1 - *busy)))
                    : fmt::format("its grid is too small: the SMs stand idle {} of the time", Pct(100 * (1 - *busy)));
  if (waves) diagnosis.evidence.push_back(Shown(kernel, Counter::kWaves));
  if (active && elapsed)
    diagnosis.evidence.push_back(fmt::format("an SM works {} of {} cycles ({}, {})", Count(*active), Count(*elapsed),
                                             kernel.Name(Counter::kCyclesActiveAvg),
                                             kernel.Name(Counter::kCyclesElapsed)));
  diagnosis.actions = {
      {"Give the device more to do at once: more and smaller blocks, a larger batch, or other kernels beside it on "
       "another "
       "stream.",
       "int blocks = std::max(needed, sm_count * blocks_per_sm);  // and a loop with stride gridDim.x * blockDim.x"}};
  const auto ratio = TimeRatioOf(kernel);
  if (ratio) SetTimeRatio(diagnosis, *ratio);
  else diagnosis.waste_ratio = 1 - *busy;
  diagnosis.confidence = active ? Confidence::kHigh : Confidence::kMedium;
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kSmallGridCause;
const KernelCause kSmallGridCause = {
    .id = "small_grid",
    .dimension = Dimension::kCompute,
    .judge = Judge,
    .tool_rules = "LaunchConfiguration|SOLBottleneck",
    .concept_text =
        "Blocks are spread over the SMs of the device. With fewer blocks than SMs, or too few to fill them, the "
        "rest of the device waits until the kernel is done.",
};

}  // namespace warpscope::rules
