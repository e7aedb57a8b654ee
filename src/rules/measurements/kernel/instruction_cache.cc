// The code is larger than the instruction caches, and warps wait for instructions. Must not claim: anything of jumps
// and short kernels, whose first instructions miss always.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kWaitPct = 20;       // of warp time. Own threshold.
constexpr double kHitPct = 98;        // of requests for instructions: more, and jumps are the reason. Own threshold.
constexpr double kFetchRatio = 0.02;  // requests to the next cache for each instruction. Own threshold.

double WaitPct(const KernelCase& kernel) { return StalledPct(kernel, {"no_instruction", "no_instructions"}); }

KernelOutcome Judge(const KernelCase& kernel) {
  if (kernel.counters.stalls.empty()) return MissesStalls();
  if (WaitPct(kernel) < kWaitPct) return Silent();
  const auto hits = kernel[Counter::kInstructionHitPct];
  const auto requests = PerInstruction(kernel, Counter::kInstructionRequests);
  if (!hits || !requests) return Misses({Counter::kInstructionHitPct, Counter::kInstructionRequests});
  if (*hits >= kHitPct || *requests < kFetchRatio) return Silent();
  const Pace pace = PaceOf(kernel);
  std::optional<double> ratio;
  if (pace.cycles > 0) {
    Change change;
    change.latency = std::min(pace.Alone("no_instruction", 0), pace.Alone("no_instructions", 0)) / pace.Alone();
    ratio = TimeRatio(pace, change);
    if (ratio && *ratio > kWorthwhileRatio) return Silent();
  }

  Diagnosis diagnosis;
  diagnosis.title = fmt::format(
      "its code does not fit the instruction cache: warps wait {} of their time for "
      "instructions",
      Pct(WaitPct(kernel)));
  diagnosis.evidence = {Shown(kernel, Counter::kInstructionHitPct, "%"), Shown(kernel, Counter::kInstructionRequests)};
  if (kernel[Counter::kInstructionFetches]) diagnosis.evidence.push_back(Shown(kernel, Counter::kInstructionFetches));
  if (kernel[Counter::kIssueActive]) diagnosis.evidence.push_back(Shown(kernel, Counter::kIssueActive));
  diagnosis.actions = {
      {"Make the code smaller: unroll less, call functions in place of inlining, split the kernel.",
       "#pragma unroll 4        // not a full unroll of a long loop\n__noinline__ float step(float x);"}};
  diagnosis.waste_ratio = WaitPct(kernel) / 100;
  if (ratio) SetTimeRatio(diagnosis, *ratio);
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kInstructionCacheCause;
const KernelCause kInstructionCacheCause = {
    .id = "instruction_cache",
    .dimension = Dimension::kLatency,
    .judge = Judge,
    .tool_rules = "CPIStall",
    .concept_text =
        "Instructions are fetched through caches: a few hundred at a scheduler, about 128 KiB at an SM. A loop whose "
        "code is longer is fetched again from the L2 in every turn.",
};

}  // namespace warpscope::rules
