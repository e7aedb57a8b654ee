// Shared memory accesses of a warp that fall into the same bank are served one after the other. Must not claim: a gain
// where something else sets the pace.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/measurements/kernel/stalled_text.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kConflictRatio = 0.10;  // of the wavefronts: triage guide

KernelOutcome Judge(const KernelCase& kernel) {
  const auto total = kernel[Counter::kSharedWavefrontsIdeal] ? kernel[Counter::kSharedWavefrontsSource]
                                                             : kernel[Counter::kSharedWavefronts];
  const auto ideal = kernel[Counter::kSharedWavefrontsIdeal];
  const auto conflicts = kernel[Counter::kBankConflicts];
  if (!total || (!ideal && !conflicts)) return Misses({Counter::kSharedWavefronts, Counter::kBankConflicts});
  if (!(*total > 0)) return Silent();
  const double excess = ideal ? *total - *ideal : *conflicts;
  const double ratio = std::clamp(excess / *total, 0.0, 1.0);
  if (ratio <= kConflictRatio) return Silent();
  // Atomics that retry collide too: atomic_contention.
  const double by_atomics = kernel[Counter::kSharedAtomicConflicts].value_or(0);
  if (by_atomics > excess / 2) return Silent();
  const auto pipe = kernel[Counter::kL1DataPct];
  if (!pipe && (kernel.counters.stalls.empty() || !kernel.HasModel())) return Misses({Counter::kL1DataPct});
  const double stalled = StalledPct(kernel, {"short_scoreboard", "mio_throttle"});
  // The wavefronts that are needed, and waits without the queue for them.
  const double all = Wavefronts(kernel).value_or(*total);
  const Pace pace = PaceOf(kernel);
  Change change;
  change[Part::kL1] = std::clamp(1 - excess / std::max(all, *total), 0.0, 1.0);
  if (pace.cycles > 0) change.latency = pace.Alone("short_scoreboard", 1 - ratio) / pace.Alone();
  const auto time_ratio = TimeRatio(pace, change);
  // Without a model: the share of the kernel's cycles in which the unit serves repeats.
  const double repeats = pipe ? *pipe / 100 * ratio : 0;
  if (kernel.HasModel() ? !time_ratio || *time_ratio > kWorthwhileRatio : repeats < kWorthwhileShare) return Silent();

  Diagnosis diagnosis;
  const double ways = ratio < 1 ? 1 / (1 - ratio) : 32;
  diagnosis.title = fmt::format("its shared memory accesses collide, {}-way on average: {} of their cycles are repeats",
                                Count(std::round(ways)), Pct(100 * ratio));
  diagnosis.evidence.push_back(
      ideal ? fmt::format("{} wavefronts where {} would do ({}, {})", Count(*total), Count(*ideal),
                          kernel.Name(Counter::kSharedWavefrontsSource), kernel.Name(Counter::kSharedWavefrontsIdeal))
            : fmt::format("{} of {} {} are conflicts ({}, {})", Count(*conflicts), Count(*total),
                          kernel.HasModel() ? "wavefronts" : "cycles", kernel.Name(Counter::kBankConflicts),
                          kernel.Name(Counter::kSharedWavefronts)));
  if (pipe) diagnosis.evidence.push_back(Shown(kernel, Counter::kL1DataPct, "%"));
  if (stalled > 0)
    diagnosis.evidence.push_back(fmt::format("warps wait for shared memory {} of their time ({})", Pct(stalled),
                                             StalledText(kernel, {"short_scoreboard", "mio_throttle"})));
  diagnosis.actions = {
      {"Pad the rows of the shared array so that the elements a warp touches lie in different banks, or swizzle the "
       "index.",
       "__shared__ float tile[32][33];  // 33 instead of 32: a column lies in 32 banks\n"
       "// or: tile[row][col ^ (row & 31)]"}};
  if (time_ratio) SetTimeRatio(diagnosis, *time_ratio);
  else diagnosis.waste_ratio = repeats;
  diagnosis.confidence = pipe && *pipe >= kLowPct ? Confidence::kHigh : Confidence::kMedium;
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kBankConflictCause;
const KernelCause kBankConflictCause = {
    .id = "bank_conflict",
    .dimension = Dimension::kMemory,
    .judge = Judge,
    .tool_rules = "SharedMemoryConflicts|UncoalescedSharedAccess",
    .concept_text =
        "Shared memory has 32 banks of 4 bytes, each of which serves one address at a time. Threads of a warp "
        "that need different addresses of one bank are served in turns: an access to a column of a 32-wide "
        "array takes 32 turns instead of one.",
};

}  // namespace warpscope::rules
