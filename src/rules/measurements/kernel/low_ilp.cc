// Each instruction needs the result of the one before, and too few warps fill the time between. Must not claim:
// anything where warps wait for memory (latency_bound) or where a unit is near its roof; nor how many independent
// instructions the program can offer.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kChainPct = 40;  // of warp time, and the largest reason. Own threshold.
constexpr double kIssuing = 0.8;  // of the cycles: above, instructions are the limit, not their order
// Independent chains that the prediction assumes: four hide the 4 cycles of an addition or product (CUDA programming
// guide, "Multiprocessor level", compute capability 7.0 and later), and programs rarely offer more than six. What is
// left of the wait then.
constexpr double kChains = 5, kWaitLeft = 0.05, kOtherLeft = 0.25;

KernelOutcome Judge(const KernelCase& kernel) {
  if (kernel.counters.stalls.empty()) return MissesStalls();
  const auto issue = kernel[Counter::kIssueActive];
  if (!issue) return Misses({Counter::kIssueActive});
  // A fixed time after the instruction before, or that of special functions and shared memory; issuing itself is part
  // of a chain.
  const double fixed = kernel.counters.StallPct("wait"), other = kernel.counters.StallPct("short_scoreboard");
  const std::string_view reason = fixed >= other ? "wait" : "short_scoreboard";
  const double waits = std::max(fixed, other), issuing = kernel.counters.StallPct("selected");
  if (waits < kChainPct || *issue >= kIssuing) return Silent();
  for (const analysis::Stall& stall : kernel.counters.stalls) {
    if (stall.reason != reason && stall.share_pct > waits) return Silent();
  }
  const Pace pace = PaceOf(kernel);
  if (!(pace.cycles > 0)) return MissesStalls();
  // Chains of longer instructions (double) than so many hide keep a part.
  const double cycles = pace.cycles * waits / 100;
  double left = reason == "wait" ? std::max(kWaitLeft, ((cycles + 1) / kChains - 1) / cycles) : kOtherLeft;
  // Nor does a warp issue faster than the pipe takes its instructions: a pipe of half the lanes (double, integer logic)
  // takes one every second cycle (CUDA programming guide, throughput of arithmetic instructions).
  for (const Part part : {Part::kFma, Part::kAlu, Part::kXu, Part::kFp64}) {
    if (pace[Part::kIssue] > 0) left = std::clamp((pace[part] / pace[Part::kIssue] - 1) / cycles, left, 1.0);
  }
  Change change;
  change.latency = pace.Alone(reason, left) / pace.Alone();
  const auto ratio = TimeRatio(pace, change);
  if (!ratio || *ratio > kWorthwhileRatio) return Silent();

  Diagnosis diagnosis;
  diagnosis.title = fmt::format("its instructions wait for each other: {} of warp time, with {:.2g} warps a scheduler",
                                Pct(waits + issuing), kernel[Counter::kWarpsPerScheduler].value_or(0));
  if (!kernel[Counter::kWarpsPerScheduler])
    diagnosis.title = fmt::format("its instructions wait for each other: {} of warp time", Pct(waits + issuing));
  diagnosis.evidence = {
      fmt::format("{}: {} of the cycles between two instructions of a warp, the largest reason", reason, Pct(waits)),
      Shown(kernel, Counter::kIssueActive, "instructions a cycle and scheduler")};
  if (kernel[Counter::kEligibleWarps]) diagnosis.evidence.push_back(Shown(kernel, Counter::kEligibleWarps, "warps"));
  if (kernel[Counter::kOccupancyPct]) diagnosis.evidence.push_back(Shown(kernel, Counter::kOccupancyPct, "%"));
  diagnosis.actions = {{"Break the chain: two to four independent sums a thread, or more warps.",
                        "sum0 += a[i] * b[i];          // four sums that do not wait for each other,\n"
                        "sum1 += a[i + 1] * b[i + 1];  // added up behind the loop"}};
  SetTimeRatio(diagnosis, *ratio);
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kLowIlpCause;
const KernelCause kLowIlpCause = {
    .id = "low_ilp",
    .dimension = Dimension::kLatency,
    .judge = Judge,
    .tool_rules = "CPIStall|IssueSlotUtilization",
    .concept_text =
        "An addition or product takes a few cycles until its result can be used. A warp whose next instruction needs "
        "it waits that long; other warps or independent instructions of the same warp fill the time.",
};

}  // namespace warpscope::rules
