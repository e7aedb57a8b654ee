// Threads of a warp that take different ways: each way is executed with the others switched off. Must not claim: a gain
// where memory sets the pace, nor anything of blocks whose size leaves lanes empty (occupancy_block_size).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kFewThreads = 0.75;  // of the lanes: triage guide, 24 of 32

// Regrouped warps are not all full: that power of the ideal. Own estimate, from kernels with branches (1.0) and with
// loops of different lengths (0.75).
constexpr double kOfFull = 0.87;

// Lanes that have a thread at all: the last warp of a block may be part full.
double LanesOfWarp(const KernelCase& kernel) {
  const auto block = kernel[Counter::kBlockSize];
  if (!block || !(*block > 0)) return kernel.counters.lanes;
  return *block / std::ceil(*block / kernel.counters.lanes);
}

KernelOutcome Judge(const KernelCase& kernel) {
  const auto threads = kernel[Counter::kThreadsPerInst];
  if (!threads) return Misses({Counter::kThreadsPerInst});
  const double lanes = LanesOfWarp(kernel);
  if (!(*threads > 0) || *threads >= kernel.counters.lanes * kFewThreads || *threads >= lanes * kFewThreads)
    return Silent();
  if (!kernel[Counter::kIssueActive] && !kernel[Counter::kComputePct]) return Misses({Counter::kIssueActive});
  // Full warps go each way once: fewer instructions in all, and each warp is done that much sooner.
  const double part = std::pow(*threads / lanes, kOfFull);
  Change change;
  change.ScaleInstructions(part);
  change.latency = part;
  const auto ratio = TimeRatio(PaceOf(kernel), change);
  // Without a model: the share of the kernel's time in which vector instructions work for lanes that are off.
  const auto busy = kernel[Counter::kComputePct];
  const double off = busy && !kernel.counters.computes_by_matrix ? *busy / 100 * (1 - *threads / lanes) : 0;
  if (kernel.HasModel() ? !ratio || *ratio > kWorthwhileRatio : off < kWorthwhileShare) return Silent();

  Diagnosis diagnosis;
  diagnosis.title =
      fmt::format("its warps diverge: {:.3g} of {} threads work in an instruction", *threads, Count(lanes));
  diagnosis.evidence.push_back(Shown(kernel, Counter::kThreadsPerInst));
  if (kernel[Counter::kIssueActive]) diagnosis.evidence.push_back(Shown(kernel, Counter::kIssueActive));
  if (!kernel.HasModel()) diagnosis.evidence.push_back(Shown(kernel, Counter::kComputePct, "%"));
  if (const auto uniform = kernel[Counter::kBranchUniformPct]; uniform && *uniform > 0 && *uniform < 100)
    diagnosis.evidence.push_back(Shown(kernel, Counter::kBranchUniformPct, "%"));
  diagnosis.actions = {
      {"Let the threads of a warp take the same way: sort or group the work by the branch, branch by warp instead of "
       "by "
       "thread, or compute both ways without a branch.",
       fmt::format("int kind = kinds[(blockIdx.x * blockDim.x + threadIdx.x) / {}];  // one kind a warp\n"
                   "// or: value = condition ? a : b;   // a select instead of a branch",
                   Count(kernel.counters.lanes))}};
  if (ratio) SetTimeRatio(diagnosis, std::max(*ratio, part));
  else diagnosis.waste_ratio = off;
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
    .amd_concept_text =
        "The threads of a wave, 64 of them on CDNA, share one instruction stream. Where they branch differently, the "
        "wave executes every way after the other while the threads of the other ways stand idle.",
};

}  // namespace warpscope::rules
