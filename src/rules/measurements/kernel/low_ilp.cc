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

// New time over old time with independent chains; absent where samples of stalls alone tell no cycles.
std::optional<double> RatioOf(const Pace& pace, std::string_view reason, double waits) {
  if (!(pace.cycles > 0)) return std::nullopt;
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
  return TimeRatio(pace, change);
}

// Instructions a cycle and scheduler at most: each warp issues in its share of the time, and no more warps than fit are
// there. From samples of stalls, which tell no rate. A scheduler holds 16 warps at most (64 an SM of four, CUDA
// programming guide, technical specifications); absent without the occupancy that the launch allows.
std::optional<double> MostIssued(const KernelCase& kernel) {
  constexpr double kMostWarps = 16;
  const auto possible = kernel[Counter::kTheoreticalOccupancyPct];
  if (!possible) return std::nullopt;
  return kernel.counters.StallPct("selected") / 100 * *possible / 100 * kMostWarps;
}

KernelOutcome Judge(const KernelCase& kernel) {
  if (kernel.counters.stalls.empty()) return MissesStalls();
  const Pace pace = PaceOf(kernel);
  const auto measured = kernel[Counter::kIssueActive];
  // Samples of stalls tell shares of time and no cycles: then a bound stands for the rate, and no gain is promised.
  const auto issue = measured || pace.cycles > 0 ? measured : MostIssued(kernel);
  if (!issue && pace.cycles > 0) return Misses({Counter::kIssueActive});
  // A fixed time after the instruction before, or that of special functions and shared memory; issuing itself is part
  // of a chain.
  const double fixed = kernel.counters.StallPct("wait"), other = kernel.counters.StallPct("short_scoreboard");
  const std::string_view reason = fixed >= other ? "wait" : "short_scoreboard";
  const double waits = std::max(fixed, other), issuing = kernel.counters.StallPct("selected");
  if (waits < kChainPct) return Silent();
  // A bound that is too high says nothing.
  if (!issue) return Misses({Counter::kIssueActive});
  if (*issue >= kIssuing) return measured ? Silent() : Misses({Counter::kIssueActive});
  for (const analysis::Stall& stall : kernel.counters.stalls) {
    if (stall.reason != reason && stall.share_pct > waits) return Silent();
  }
  if (measured && !(pace.cycles > 0)) return MissesStalls();
  const std::optional<double> ratio = RatioOf(pace, reason, waits);
  if (measured && (!ratio || *ratio > kWorthwhileRatio)) return Silent();

  Diagnosis diagnosis;
  diagnosis.title = fmt::format("its instructions wait for each other: {} of warp time, with {:.2g} warps a scheduler",
                                Pct(waits + issuing), kernel[Counter::kWarpsPerScheduler].value_or(0));
  if (!kernel[Counter::kWarpsPerScheduler])
    diagnosis.title = fmt::format("its instructions wait for each other: {} of warp time", Pct(waits + issuing));
  diagnosis.evidence = {
      fmt::format("{}: {} of the cycles between two instructions of a warp, the largest reason", reason, Pct(waits))};
  diagnosis.evidence.push_back(
      measured ? Shown(kernel, Counter::kIssueActive, "instructions a cycle and scheduler")
               : fmt::format("at most {:.2g} instructions a cycle and scheduler: warps issue {} of their time, and no "
                             "more are there than the launch allows",
                             *issue, Pct(issuing)));
  if (kernel[Counter::kEligibleWarps]) diagnosis.evidence.push_back(Shown(kernel, Counter::kEligibleWarps, "warps"));
  if (kernel[Counter::kOccupancyPct]) diagnosis.evidence.push_back(Shown(kernel, Counter::kOccupancyPct, "%"));
  diagnosis.actions = {{"Break the chain: two to four independent sums a thread, or more warps.",
                        "sum0 += a[i] * b[i];          // four sums that do not wait for each other,\n"
                        "sum1 += a[i + 1] * b[i + 1];  // added up behind the loop"}};
  if (measured && ratio) SetTimeRatio(diagnosis, *ratio);
  else diagnosis.waste_ratio = waits / 100;
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
