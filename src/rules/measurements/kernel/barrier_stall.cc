// Warps wait for the others of their block. Must not claim: anything where the warps that hold the others up queue for
// a unit (the barrier only shows it), or where a unit is near its roof.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

// Own threshold: the tool reports a stall reason from 30 % of the issue interval on.
constexpr double kBarrierPct = 25;
// With a barrier go the instructions around it: the exchange through shared memory, its addresses, the loop. Own
// estimate, as around an access to memory (narrow_access): measured 6.7 and 6.1 in two kernels whose work was
// done again without (tests/device/planted). A quarter of the instructions stays at least.
constexpr double kAround = 6, kInstructionsLeft = 0.25;
// Cycles that a barrier, or a request for a constant, keeps the pipe of an SM that handles both ("ADU", Nsight
// Compute's guide). Measured: 2.0 to 2.2 in six kernels with a known number of barriers.
constexpr double kPipeCycles = 2;

// Barriers for each executed instruction; absent if unknown. Without that pipe's use at most one for each access to
// shared memory, through which warps exchange what they wait for.
std::optional<double> Barriers(const KernelCase& kernel) {
  const auto cycles = kernel[Counter::kCyclesActiveAvg], sms = kernel[Counter::kSmCount];
  const auto executed = kernel[Counter::kInstExecuted];
  for (const analysis::Pipe& pipe : kernel.counters.pipes) {
    if (pipe.name != "adu" || !cycles || !sms || !executed || !(*executed > 0)) continue;
    const double handled = pipe.pct / 100 * *cycles * *sms / kPipeCycles;
    return std::max(0.0, handled - kernel[Counter::kConstantRequests].value_or(0)) / *executed;
  }
  return SharedPerInstruction(kernel);
}

KernelOutcome Judge(const KernelCase& kernel) {
  if (kernel.counters.stalls.empty()) return MissesStalls();
  const double barrier = kernel.counters.StallPct("barrier");
  const std::vector<UnitUse> units = UnitsByUse(kernel);
  if (barrier < kBarrierPct || (!units.empty() && units.front().pct >= kHighPct)) return Silent();
  // Where warps queue for something before the barrier, the barrier only shows it.
  for (const analysis::Stall& stall : kernel.counters.stalls) {
    if (stall.reason != "barrier" && stall.share_pct > barrier) return Silent();
  }
  // Without barriers warps do their own work, limited by what they wait for otherwise.
  const Pace pace = PaceOf(kernel);
  std::optional<double> ratio;
  if (pace.cycles > 0) {
    const double left = std::max(kInstructionsLeft, 1 - kAround * Barriers(kernel).value_or(1));
    Change change;
    change.ScaleInstructions(left);
    change[Part::kL1] = left;
    change.latency = pace.Alone("barrier", 0) / pace.Alone();
    ratio = TimeRatio(pace, change);
    if (ratio && *ratio > kWorthwhileRatio) return Silent();
  }

  Diagnosis diagnosis;
  diagnosis.title = fmt::format("its warps wait at barriers {} of their time", Pct(barrier));
  diagnosis.evidence = {
      fmt::format("barrier: {} of the cycles between two instructions of a warp, the largest reason", Pct(barrier))};
  if (kernel[Counter::kIssueActive]) diagnosis.evidence.push_back(Shown(kernel, Counter::kIssueActive));
  diagnosis.actions = {
      {"Use fewer or narrower barriers: smaller blocks, warp-level primitives instead of block-level ones, or "
       "asynchronous copies that overlap the next tile with the current one.",
       "__syncwarp();  // where only threads of one warp exchange data\n"
       "value += __shfl_down_sync(0xffffffff, value, 16);"}};
  diagnosis.waste_ratio = barrier / 100;
  if (ratio) SetTimeRatio(diagnosis, *ratio);
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kBarrierStallCause;
const KernelCause kBarrierStallCause = {
    .id = "barrier_stall",
    .dimension = Dimension::kLatency,
    .judge = Judge,
    .tool_rules = "CPIStall",
    .concept_text =
        "__syncthreads() holds every warp of a block until the last one arrives. With few blocks on an SM there is "
        "nothing else to run meanwhile.",
};

}  // namespace warpscope::rules
