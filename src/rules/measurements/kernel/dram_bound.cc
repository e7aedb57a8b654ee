// The DRAM sets the pace.
#include <fmt/format.h>

#include "rules/measurements/kernel/cause.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

KernelOutcome Judge(const KernelCase& kernel) {
  const std::vector<UnitUse> units = UnitsByUse(kernel);
  if (units.empty()) return Misses({Counter::kDramPct});
  if (!kernel.HasModel() && !kernel[Counter::kDramPct]) return Misses({Counter::kDramPct});
  const UnitUse busiest = units.front();
  if (busiest.unit != Unit::kDram || busiest.pct < kLowPct) return Silent();

  Diagnosis diagnosis;
  diagnosis.title =
      fmt::format("it moves data as fast as the memory can: the DRAM is {} busy{}",
                  Pct(kernel[Counter::kDramPct].value_or(busiest.pct)), busiest.pct >= kHighPct ? ", its roof" : "");
  // A peak that a micro benchmark reached, or the data sheet's: under it little is known of what would be possible.
  if (!kernel.HasModel() && busiest.pct < kHighPct)
    diagnosis.title = fmt::format("memory sets its pace: it moves data at {} of {}", Pct(busiest.pct),
                                  kernel.counters.dram_reach_ratio < 1 ? "what memory gives in practice" : "the peak");
  diagnosis.evidence.push_back(Shown(kernel, Counter::kDramPct, "%"));
  if (kernel.counters.dram_reach_ratio < 1)
    diagnosis.evidence.push_back(fmt::format("programs reach about {} of the data sheet's peak of this memory",
                                             Pct(100 * kernel.counters.dram_reach_ratio)));
  if (const auto rate = kernel[Counter::kDramBytesPerS])
    diagnosis.evidence.push_back(fmt::format("{} = {} GB/s", kernel.Name(Counter::kDramBytesPerS), Count(*rate / 1e9)));
  if (kernel[Counter::kComputePct]) diagnosis.evidence.push_back(Shown(kernel, Counter::kComputePct, "%"));
  diagnosis.actions = {
      {"Nothing inside the kernel helps much: move fewer bytes. Fuse it with its neighbours, use a smaller type, keep "
       "data in the L2.",
       "// fused: one read and one write instead of two of each\n"
       "out[i] = relu(x[i] * scale + bias);"}};
  // A kernel at its roof has nothing to fix inside; what is left is the way to the roof.
  diagnosis.waste_ratio = busiest.pct >= kHighPct ? 0 : 1 - busiest.pct / 100;
  diagnosis.confidence = busiest.pct >= kHighPct ? Confidence::kHigh : Confidence::kMedium;
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kDramBoundCause;
const KernelCause kDramBoundCause = {
    .id = "dram_bound",
    .dimension = Dimension::kMemory,
    .is_remainder = true,
    .judge = Judge,
    .tool_rules = "SOLBottleneck|Memory",
    .concept_text =
        "Every byte that is neither in a cache nor in a register comes from the DRAM. When that works at its peak, a "
        "faster "
        "kernel must move fewer bytes.",
};

}  // namespace warpscope::rules
