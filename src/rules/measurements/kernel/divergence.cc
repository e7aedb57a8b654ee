// Threads of a warp that take different ways: each way is executed with the others switched off.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kThreadsOfWarp = 32, kFewThreads = 24;  // triage guide
constexpr double kIssuing = 0.5;                         // below, schedulers starve: fewer instructions would not help

KernelOutcome Judge(const KernelCase& kernel) {
  const auto threads = kernel[Counter::kThreadsPerInst];
  if (!threads) return Misses({Counter::kThreadsPerInst});
  if (*threads >= kFewThreads || !(*threads > 0)) return Silent();
  const auto issue = kernel[Counter::kIssueActive], compute = kernel[Counter::kComputePct];
  if (!issue && !compute) return Misses({Counter::kIssueActive});
  if (issue.value_or(0) < kIssuing && compute.value_or(0) < kLowPct) return Silent();

  Diagnosis diagnosis;
  diagnosis.title = fmt::format("its warps diverge: {:.3g} of 32 threads work in an instruction", *threads);
  diagnosis.evidence.push_back(Shown(kernel, Counter::kThreadsPerInst));
  if (issue) diagnosis.evidence.push_back(Shown(kernel, Counter::kIssueActive));
  if (const auto uniform = kernel[Counter::kBranchUniformPct]; uniform && *uniform > 0 && *uniform < 100)
    diagnosis.evidence.push_back(Shown(kernel, Counter::kBranchUniformPct, "%"));
  diagnosis.actions = {
      {"Let the threads of a warp take the same way: sort or group the work by the branch, branch by warp instead of "
       "by "
       "thread, or compute both ways without a branch.",
       "int kind = kinds[(blockIdx.x * blockDim.x + threadIdx.x) / 32];  // one kind a warp\n"
       "// or: value = condition ? a : b;   // a select instead of a branch"}};
  const double part = *threads / kThreadsOfWarp;
  // Full warps issue that much less, until another unit is the busiest.
  if (compute && *compute > 0) {
    const double after = std::max(*compute * part, NextUsePct(kernel, Unit::kCompute));
    diagnosis.time_ratio = std::clamp(after / std::max(*compute, NextUsePct(kernel, Unit::kCompute)), part, 1.0);
  }
  diagnosis.waste_ratio = diagnosis.time_ratio ? 1 - *diagnosis.time_ratio : 1 - part;
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kDivergenceCause;
const KernelCause kDivergenceCause = {
    .id = "divergence",
    .dimension = Dimension::kCompute,
    .judge = Judge,
    .tool_rules = "ThreadDivergence",
    .concept_text =
        "The 32 threads of a warp share one instruction stream. Where they branch differently, the warp executes "
        "every way after the other while the threads of the other ways stand idle.",
};

}  // namespace warpscope::rules
