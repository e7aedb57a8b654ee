// Registers did not suffice: values go to local memory, that is through the caches. Must not claim: spills where local
// memory holds arrays that are indexed at run time, unless the tool tells them apart; nor a gain where the accesses
// hide behind other work.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

// Of the requests to the L1, or of the executed instructions: below, spills cost less than the registers they save. An
// own threshold; the tool gives none.
constexpr double kSpillPct = 10, kLocalInstructionPct = 5;

// A kernel without its accesses of local memory.
Change WithoutLocal(const KernelCase& kernel, const Pace& pace, double local_share) {
  const auto value = [&](Counter counter) { return kernel[counter].value_or(0); };
  Change change;
  change[Part::kIssue] = 1 - local_share;
  const double local = value(Counter::kLocalLoadRequests) + value(Counter::kLocalStoreRequests);
  const double global = value(Counter::kLoadRequests) + value(Counter::kStoreRequests);
  // A request of 32 lanes is one wavefront here and there.
  if (local > 0) {
    const double others = std::max(global, Wavefronts(kernel).value_or(0) - local);
    change[Part::kLsu] = change[Part::kL1] = others / (others + local);
  }
  // Stores go through to the L2, loads where the L1 misses; what the L2 cannot hold goes on to the DRAM.
  const double misses = value(Counter::kLocalLoadMisses) + value(Counter::kLocalStoreSectors);
  const double missing = 1 - value(Counter::kL1LoadHitPct) / 100;
  const double rest = value(Counter::kLoadSectors) * missing + value(Counter::kStoreSectors);
  if (misses > 0) change[Part::kL2] = change[Part::kDram] = rest / (rest + misses);
  if (pace.cycles > 0) {
    const double loads = value(Counter::kLoadRequests), local_loads = value(Counter::kLocalLoadRequests);
    const double kept = loads + local_loads > 0 ? loads / (loads + local_loads) : 1;
    change.latency = pace.Alone("long_scoreboard", kept) / pace.Alone() * (1 - local_share);
  }
  return change;
}

KernelOutcome Judge(const KernelCase& kernel) {
  const auto spills = kernel[Counter::kSpillRequests], spill_pct = kernel[Counter::kSpillPct];
  auto loads = kernel[Counter::kLocalLoads], stores = kernel[Counter::kLocalStores];
  if (!loads) loads = kernel[Counter::kLocalLoadRequests];
  if (!stores) stores = kernel[Counter::kLocalStoreRequests];
  const auto executed = kernel[Counter::kInstExecuted];
  if (!spills && !loads && !stores) return Misses({Counter::kSpillRequests, Counter::kLocalLoads});
  if (!kernel.HasModel() && loads && !executed) return Misses({Counter::kInstExecuted});
  const double local = loads.value_or(0) + stores.value_or(0);
  const double share = executed && *executed > 0 ? std::min(1.0, local / *executed) : 0;
  const bool by_spills = spills && *spills > 0 && spill_pct && *spill_pct >= kSpillPct;
  // Local memory also holds arrays that are indexed at run time: without the spill counter it is called by its name.
  const bool by_local = 100 * share >= kLocalInstructionPct && (!spills || *spills > 0);
  if (!by_spills && !by_local) return Silent();
  const Pace pace = PaceOf(kernel);
  const auto ratio = TimeRatio(pace, WithoutLocal(kernel, pace, share));
  if (ratio && *ratio > kWorthwhileRatio) return Silent();

  Diagnosis diagnosis;
  diagnosis.title =
      by_spills
          ? fmt::format("it spills registers: {} of its memory requests only save and reload them", Pct(*spill_pct))
          : fmt::format("{} of its instructions access local memory (spilled registers or indexed arrays)",
                        Pct(100 * share));
  if (spills) diagnosis.evidence.push_back(Shown(kernel, Counter::kSpillRequests));
  if (local > 0)
    diagnosis.evidence.push_back(
        fmt::format("{} instructions on local memory of {}", Count(local), Count(executed.value_or(0))));
  if (kernel[Counter::kRegisters]) diagnosis.evidence.push_back(Shown(kernel, Counter::kRegisters));
  diagnosis.actions = {
      {"Give the kernel more registers or fewer live values: raise the limit, split the kernel, unroll less, "
       "index small arrays by constants.",
       kernel.HasModel()
           ? "__global__ void __launch_bounds__(128, 2) kernel(...)  // fewer threads a block, more registers each\n"
             "#pragma unroll 2"
           : "__global__ void __launch_bounds__(128) kernel(...)  // fewer threads a block, more registers each\n"
             "#pragma unroll 2"}};
  diagnosis.waste_ratio = by_spills ? *spill_pct / 100 : share;
  if (ratio) SetTimeRatio(diagnosis, *ratio);
  diagnosis.confidence = by_spills ? Confidence::kHigh : Confidence::kLow;
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kRegisterSpillCause;
const KernelCause kRegisterSpillCause = {
    .id = "register_spill",
    .dimension = Dimension::kMemory,
    .judge = Judge,
    .tool_rules = "LocalMemorySpilling",
    .concept_text =
        "A thread has at most 255 registers, fewer if the block or __launch_bounds__ asks for it. What does not fit "
        "is written to local memory and read back, which takes the way of global memory through the caches.",
    .amd_concept_text =
        "A thread has at most 512 vector registers (256 plain ones), fewer if the block or __launch_bounds__ asks for "
        "it. What does not fit is written to scratch and read back, which takes the way of global memory through the "
        "caches.",
};

}  // namespace warpscope::rules
