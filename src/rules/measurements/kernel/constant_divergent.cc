// Threads of a warp index constant memory at different places: the cache serves one address at a time. Must not claim:
// anything of constants that all threads read at one place, which cost nothing.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

// A request is one place of an instruction. Without the number of loads of constants: more requests than half of all
// instructions could make are places that differ.
constexpr double kManyPlaces = 4, kPlacesOfAny = 0.5;
constexpr double kCyclesOfHit = 2;  // of the cache for a request that hits: measured
constexpr double kFilling = 0.125;  // of the look-ups are made once more to fill the table. Own estimate.
constexpr double kLanes = 32;
constexpr double kSharedTurns = 3.4;  // of 32 random places in 32 banks, the fullest bank holds on average

KernelOutcome Judge(const KernelCase& kernel) {
  const auto requests = kernel[Counter::kConstantRequests], pct = kernel[Counter::kConstantPct];
  const auto executed = kernel[Counter::kInstExecuted], loads = kernel[Counter::kConstantInst];
  if (!requests || !pct || !executed) return Misses({Counter::kConstantRequests, Counter::kConstantPct});
  if (!(*executed > 0) || !(*requests > 0)) return Silent();
  const double places = loads && *loads > 0 ? *requests / *loads : kLanes * std::min(1.0, *requests / *executed);
  if (loads ? places < kManyPlaces : *requests / *executed < kPlacesOfAny) return Silent();
  if (*pct < kLowPct) return Silent();
  const Pace pace = PaceOf(kernel);
  const auto cycles = kernel[Counter::kCyclesElapsed], sms = kernel[Counter::kSmCount];
  // The table in shared memory: its places are read once more to fill it, and then in turns where banks collide.
  Change change;
  change[Part::kConstant] = kFilling;
  if (cycles && sms && *cycles * *sms > 0) {
    const double each = *pct / 100 * *cycles * *sms / *requests;
    change[Part::kConstant] = kFilling * std::min(1.0, kCyclesOfHit / each);
    const double turns = *requests / kLanes * kSharedTurns / (*cycles * *sms);
    if (pace[Part::kL1] > 0) change[Part::kL1] = (pace[Part::kL1] + turns) / pace[Part::kL1];
  }
  if (pace.cycles > 0) change.latency = pace.Alone("short_scoreboard", kFilling) / pace.Alone();
  const double ratio = TimeShare(pace, change);
  if (ratio > kWorthwhileRatio) return Silent();

  Diagnosis diagnosis;
  diagnosis.title = fmt::format(
      "its threads index constant memory at different places, which are served one by one: "
      "that cache is busy {} of the time",
      Pct(*pct));
  diagnosis.evidence = {
      fmt::format("{} requests, one for each place, of {} instructions in all ({}, {})", Count(*requests),
                  Count(*executed), analysis::CounterName(Counter::kConstantRequests),
                  analysis::CounterName(Counter::kInstExecuted)),
      Shown(kernel, Counter::kConstantPct, "%")};
  if (kernel[Counter::kConstantHitPct]) diagnosis.evidence.push_back(Shown(kernel, Counter::kConstantHitPct, "%"));
  diagnosis.actions = {
      {"Put a table that threads index differently into shared memory, or read it through __ldg().",
       "__shared__ float table[N];\nfor (int k = threadIdx.x; k < N; k += blockDim.x) table[k] = kTable[k];\n"
       "__syncthreads();"}};
  SetTimeRatio(diagnosis, ratio);
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kConstantDivergentCause;
const KernelCause kConstantDivergentCause = {
    .id = "constant_divergent",
    .dimension = Dimension::kMemory,
    .judge = Judge,
    .tool_rules = "CPIStall",
    .concept_text =
        "Constant memory has a cache that hands one value to all threads of a warp. Where threads ask for different "
        "places, the requests are served in turns, up to 32.",
};

}  // namespace warpscope::rules
