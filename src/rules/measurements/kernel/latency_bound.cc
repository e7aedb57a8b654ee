// Nothing is busy: warps wait, mostly for one reason. Must not claim: that loads can be made independent of each other;
// the prediction says what more of them at a time would bring.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kStarved = 0.5;     // instructions a cycle and scheduler: triage guide
constexpr double kTopStallPct = 30;  // the tool's own rule speaks of a reason from here on
// What a prediction assumes: four loads of a thread at a time, or as many more warps as fit, up to sixteen times.
constexpr double kMoreLoads = 4, kMostMore = 16, kOfMore = 0.75;

std::vector<Action> ActionsOf(std::string_view reason) {
  if (reason == "long_scoreboard" || reason == "lg_throttle" || reason == "drain") {
    return {{"Have more loads under way: several independent loads a thread, wider loads, prefetching the next tile.",
             "float4 a = in[i], b = in[i + stride];  // both are under way before the first is used\n"
             "cuda::memcpy_async(block, tile_next, source, bytes, barrier);"}};
  }
  if (reason == "wait" || reason == "short_scoreboard" || reason == "mio_throttle") {
    return {{"Break the chain of dependent instructions: two or more independent sums a thread, unrolled.",
             "sum0 += a[i] * b[i];\nsum1 += a[i + 1] * b[i + 1];  // does not wait for sum0"}};
  }
  return {
      {"Look at where the warps wait: record with --set full and open the source page, or --section WarpStateStats "
       "--section SourceCounters.",
       "ncu --set full --import-source yes -o report PROGRAM"}};
}

// More on their way at a time: warps where there is room for them, else loads of one thread; absent for other waits.
std::optional<double> WithMore(const KernelCase& kernel, std::string_view reason) {
  if (reason != "long_scoreboard") return std::nullopt;
  const auto achieved = kernel[Counter::kOccupancyPct], possible = kernel[Counter::kTheoreticalOccupancyPct];
  Change change;
  change.warps = kMoreLoads;
  // Part of what joins is lost to shorter loops and more instructions.
  if (achieved && possible && *achieved > 0)
    change.warps = std::clamp(std::pow(*possible / *achieved, kOfMore), kMoreLoads, kMostMore);
  return TimeRatio(PaceOf(kernel), change);
}

// AMD's tools tell the wait for memory of any kind, no other reason.
KernelOutcome JudgeByWait(const KernelCase& kernel, double busiest_pct) {
  const auto wait = kernel[Counter::kWaveWaitPct];
  if (!wait) return Misses({Counter::kWaveWaitPct});
  // A unit that is not known may be the busy one.
  if (!kernel[Counter::kComputePct] || !kernel[Counter::kDramPct])
    return Misses({Counter::kComputePct, Counter::kDramPct});
  if (*wait < kManyWaitsPct) return Silent();
  Diagnosis diagnosis;
  diagnosis.title =
      fmt::format("it waits: its warps wait for memory of any kind {} of their time, and nothing is more than {} busy",
                  Pct(*wait), Pct(busiest_pct));
  diagnosis.evidence = {Shown(kernel, Counter::kWaveWaitPct, "%"), Shown(kernel, Counter::kDramPct, "%"),
                        Shown(kernel, Counter::kComputePct, "%")};
  if (kernel[Counter::kOccupancyPct]) diagnosis.evidence.push_back(Shown(kernel, Counter::kOccupancyPct, "%"));
  if (kernel[Counter::kL2HitPct]) diagnosis.evidence.push_back(Shown(kernel, Counter::kL2HitPct, "%"));
  diagnosis.actions = {
      {"Have more loads under way: several independent loads a thread, wider loads, more waves on a compute unit.",
       "float4 a = in[i], b = in[i + stride];  // both are under way before the first is used"}};
  diagnosis.waste_ratio = *wait / 100 * (1 - busiest_pct / 100);
  return Fires(std::move(diagnosis));
}

KernelOutcome Judge(const KernelCase& kernel) {
  const std::vector<UnitUse> units = UnitsByUse(kernel);
  if (units.empty()) return Misses({Counter::kComputePct, Counter::kMemoryPct});
  if (units.front().pct >= kLowPct) return Silent();
  if (!kernel.HasModel()) return JudgeByWait(kernel, units.front().pct);
  const auto issue = kernel[Counter::kIssueActive];
  if (issue && *issue >= kStarved) return Silent();
  if (kernel.counters.stalls.empty()) return MissesStalls();
  const analysis::Stall* top = nullptr;
  for (const analysis::Stall& stall : kernel.counters.stalls) {
    if (stall.reason != "selected" && stall.reason != "not_selected" && top == nullptr) top = &stall;
  }
  if (top == nullptr || top->share_pct < kTopStallPct) return Silent();

  Diagnosis diagnosis;
  diagnosis.title = fmt::format("it waits: warps are {} {} of their time, and nothing is more than {} busy",
                                analysis::StallText(top->reason), Pct(top->share_pct), Pct(units.front().pct));
  diagnosis.evidence = {
      fmt::format("{}: {} of the cycles between two instructions of a warp", top->reason, Pct(top->share_pct))};
  if (issue) diagnosis.evidence.push_back(Shown(kernel, Counter::kIssueActive, "instructions a cycle and scheduler"));
  if (kernel[Counter::kEligibleWarps]) diagnosis.evidence.push_back(Shown(kernel, Counter::kEligibleWarps, "warps"));
  if (kernel[Counter::kOccupancyPct]) diagnosis.evidence.push_back(Shown(kernel, Counter::kOccupancyPct, "%"));
  diagnosis.actions = ActionsOf(top->reason);
  diagnosis.waste_ratio = top->share_pct / 100 * (1 - units.front().pct / 100);
  if (const auto ratio = WithMore(kernel, top->reason)) SetTimeRatio(diagnosis, *ratio);
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kLatencyBoundCause;
const KernelCause kLatencyBoundCause = {
    .id = "latency_bound",
    .dimension = Dimension::kLatency,
    .is_remainder = true,
    .judge = Judge,
    .tool_rules = "CPIStall|IssueSlotUtilization",
    .concept_text =
        "When neither memory nor arithmetic is busy, the kernel waits for answers: each warp needs the result of its "
        "last instruction, and there are too few others to fill the time.",
};

}  // namespace warpscope::rules
