// Registers did not suffice: values go to local memory, that is through the caches.
#include <fmt/format.h>

#include "rules/measurements/kernel/cause.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

// Of the requests to the L1, or of the executed instructions: below, spills cost less than the registers they save. An
// own threshold; the tool gives none.
constexpr double kSpillPct = 10, kLocalInstructionPct = 5;

KernelOutcome Judge(const KernelCase& kernel) {
  const auto spills = kernel[Counter::kSpillRequests], spill_pct = kernel[Counter::kSpillPct];
  const auto loads = kernel[Counter::kLocalLoads], stores = kernel[Counter::kLocalStores];
  const auto executed = kernel[Counter::kInstExecuted];
  if (!spills && !loads && !stores) return Misses({Counter::kSpillRequests, Counter::kLocalLoads});
  const double local = loads.value_or(0) + stores.value_or(0);
  const double share = executed && *executed > 0 ? 100 * local / *executed : 0;
  const bool by_spills = spills && *spills > 0 && spill_pct && *spill_pct >= kSpillPct;
  // Local memory also holds arrays that are indexed at run time: without the spill counter it is called by its name.
  const bool by_local = share >= kLocalInstructionPct && (!spills || *spills > 0);
  if (!by_spills && !by_local) return Silent();

  Diagnosis diagnosis;
  diagnosis.title =
      by_spills
          ? fmt::format("it spills registers: {} of its memory requests only save and reload them", Pct(*spill_pct))
          : fmt::format("{} of its instructions access local memory (spilled registers or indexed arrays)", Pct(share));
  if (spills) diagnosis.evidence.push_back(Shown(kernel, Counter::kSpillRequests));
  if (local > 0)
    diagnosis.evidence.push_back(
        fmt::format("{} instructions on local memory of {}", Count(local), Count(executed.value_or(0))));
  if (kernel[Counter::kRegisters]) diagnosis.evidence.push_back(Shown(kernel, Counter::kRegisters));
  diagnosis.actions = {
      {"Give the kernel more registers or fewer live values: raise the limit, split the kernel, unroll less, "
       "index small arrays by constants.",
       "__global__ void __launch_bounds__(128, 2) kernel(...)  // fewer threads a block, more registers each\n"
       "#pragma unroll 2"}};
  diagnosis.waste_ratio = (by_spills ? *spill_pct : share) / 100;
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
};

}  // namespace warpscope::rules
