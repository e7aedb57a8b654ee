// Many additions to few addresses are done one after the other: at a slice of the L2, or at a bank of shared memory.
// Must not claim: anything of atomics that are spread, or that hide behind other work.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kSomeAtomics = 0.01;  // of the instructions: fewer are the last step of a reduction. Own threshold.
constexpr double kTurnsLeft = 0.2;     // of the waits at shared memory. Own estimate.
constexpr double kManySectors = 16;    // a request
constexpr double kTreeCycles = 200;    // of a warp, for five shuffles and the sum of a block. Own estimate.
constexpr double kWaitPct = 30;        // of warp time, for the queue. Own threshold.
// One slice of the L2 adds so many times as long as the average one: few addresses. Atomics that are spread keep all
// slices alike busy. A sum of floats takes several cycles of a slice, of which the counter sees one: a fifth of the
// time is much. Own thresholds.
constexpr double kHotTimes = 8, kHotPct = 20, kHotWaitPct = 15;

double Value(const KernelCase& kernel, Counter counter) { return kernel[counter].value_or(0); }

double GlobalAtomics(const KernelCase& kernel) {
  const double requests = Value(kernel, Counter::kReductionRequests) + Value(kernel, Counter::kAtomicRequests);
  return std::max(requests, Value(kernel, Counter::kReductions) + Value(kernel, Counter::kAtomics) +
                                Value(kernel, Counter::kAtomicsCas));
}

// Few addresses by the slices, and warps wait for reductions: those without an answer hold up stores and the exit.
bool IsHot(const KernelCase& kernel) {
  const double slice = Value(kernel, Counter::kL2AtomicMaxPct), average = Value(kernel, Counter::kL2AtomicPct);
  const double waiting = StalledPct(kernel, {"lg_throttle", "drain", "membar"});
  return slice >= kHotPct && average > 0 && slice >= kHotTimes * average && waiting >= kHotWaitPct;
}

// Sums within a block first leave next to none.
Change Without(const KernelCase& kernel, const Pace& pace, double global, double shared) {
  Change change;
  change[Part::kAtomic] = 0;
  const double atomics = Value(kernel, Counter::kReductionSectors) + Value(kernel, Counter::kAtomicSectors);
  const double others = Value(kernel, Counter::kLoadSectors) + Value(kernel, Counter::kStoreSectors);
  if (atomics > 0) change[Part::kL2] = others / (others + atomics);
  if (shared > 0) {
    const double wavefronts = std::max(Wavefronts(kernel).value_or(0), Value(kernel, Counter::kSharedWavefronts));
    if (wavefronts > 0)
      change[Part::kL1] = std::max(0.0, 1 - Value(kernel, Counter::kSharedAtomicConflicts) / wavefronts);
  }
  if (pace.cycles > 0 && shared > global) {
    change.latency = pace.Alone("short_scoreboard", kTurnsLeft) / pace.Alone();
  } else if (pace.cycles > 0) {
    const double loads = Value(kernel, Counter::kLoadRequests), answers = Value(kernel, Counter::kAtomicRequests);
    const double kept = global > 0 && loads + answers > 0 ? loads / (loads + answers) : 1;
    const double alone = pace.Alone(), own = pace.Alone("long_scoreboard", kept);
    // Sums go through a tree of shuffles first, counts through counters in shared memory. The device merges equal
    // places of one instruction where it adds integers: where it does not, each lane is a sector.
    const double requests = Value(kernel, Counter::kReductionRequests) + Value(kernel, Counter::kAtomicRequests);
    const bool is_sum = atomics > kManySectors * requests;
    change.latency = (own + (is_sum ? kTreeCycles * global / *kernel[Counter::kInstExecuted] : 0)) / alone;
  }
  return change;
}

KernelOutcome Judge(const KernelCase& kernel) {
  const auto executed = kernel[Counter::kInstExecuted];
  const bool known = kernel[Counter::kReductions] || kernel[Counter::kAtomics] || kernel[Counter::kSharedAtomics];
  if (!known || !executed) return Misses({Counter::kReductions, Counter::kAtomics, Counter::kInstExecuted});
  const double global = GlobalAtomics(kernel), shared = Value(kernel, Counter::kSharedAtomics);
  const double slice = Value(kernel, Counter::kL2AtomicMaxPct);
  const bool is_few = global + shared < kSomeAtomics * *executed;
  if (!(*executed > 0) || (is_few && slice < kLowPct && !IsHot(kernel))) return Silent();
  if (kernel.counters.stalls.empty()) return MissesStalls();
  const bool is_shared = Value(kernel, Counter::kSharedAtomicConflicts) > 0 && global < shared;
  const double waiting =
      StalledPct(kernel, {"lg_throttle", "long_scoreboard", "drain", "membar", "short_scoreboard", "mio_throttle"});
  if (waiting < kWaitPct && slice < kLowPct) return Silent();
  const Pace pace = PaceOf(kernel);
  const double ratio = TimeShare(pace, Without(kernel, pace, global, shared));
  if (ratio > kWorthwhileRatio) return Silent();

  Diagnosis diagnosis;
  diagnosis.title = fmt::format("its atomic operations queue for the same {}: {} of warp time",
                                is_shared ? "shared memory" : "addresses", Pct(waiting));
  diagnosis.evidence.push_back(fmt::format(
      "{} atomic instructions of {} in all ({}, {})", Count(is_shared ? shared : global), Count(*executed),
      kernel.Name(is_shared ? Counter::kSharedAtomics : Counter::kReductions), kernel.Name(Counter::kInstExecuted)));
  if (slice > 0)
    diagnosis.evidence.push_back(fmt::format("the busiest slice of the L2 adds {} of the time, the average one {} ({})",
                                             Pct(slice), Pct(Value(kernel, Counter::kL2AtomicPct)),
                                             kernel.Name(Counter::kL2AtomicMaxPct)));
  diagnosis.evidence.push_back(
      fmt::format("without them the busiest unit would need {} of the time", Pct(100 * ratio)));
  diagnosis.actions = {
      {"Add within the warp and the block first, then once a block to global memory; give hot counters a copy for each "
       "warp or lane.",
       "float sum = cub::BlockReduce<float, 256>(tmp).Sum(v);\nif (threadIdx.x == 0) atomicAdd(out, sum);"}};
  SetTimeRatio(diagnosis, ratio);
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kAtomicContentionCause;
const KernelCause kAtomicContentionCause = {
    .id = "atomic_contention",
    .dimension = Dimension::kMemory,
    .judge = Judge,
    .tool_rules = "CPIStall|Memory",
    .concept_text =
        "Additions of many threads to one address are done one by one where the address lives: in a slice of the L2 "
        "cache, or at a bank of shared memory. With few addresses and many values, threads spend their time in a "
        "queue.",
};

}  // namespace warpscope::rules
