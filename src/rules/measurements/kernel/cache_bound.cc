// A cache sets the pace.
#include <fmt/format.h>

#include "rules/measurements/kernel/cause.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

KernelOutcome Judge(const KernelCase& kernel) {
  const std::vector<UnitUse> units = UnitsByUse(kernel);
  if (units.empty()) return Misses({Counter::kL2Pct, Counter::kL1Pct});
  if (!kernel.HasModel() && !kernel[Counter::kL2Pct] && !kernel[Counter::kL1Pct])
    return Misses({Counter::kL2Pct, Counter::kL1Pct});
  const UnitUse busiest = units.front();
  if ((busiest.unit != Unit::kL1 && busiest.unit != Unit::kL2) || busiest.pct < kLowPct) return Silent();

  Diagnosis diagnosis;
  diagnosis.title = fmt::format("{} sets the pace: {} busy", UnitText(busiest.unit), Pct(busiest.pct));
  for (const UnitUse& use : units)
    diagnosis.evidence.push_back(fmt::format("{}: {} of its peak", UnitText(use.unit), Pct(use.pct)));
  if (kernel[Counter::kL2HitPct]) diagnosis.evidence.push_back(Shown(kernel, Counter::kL2HitPct, "%"));
  diagnosis.actions = {
      {"Ask the cache for less: keep values in registers over more of the work, access wider types, and reuse tiles.",
       "float4 v = reinterpret_cast<const float4*>(in)[i];  // one request instead of four"}};
  // A kernel at its roof has nothing to fix inside; what is left is the way to the roof.
  diagnosis.waste_ratio = busiest.pct >= kHighPct ? 0 : 1 - busiest.pct / 100;
  diagnosis.confidence = busiest.pct >= kHighPct ? Confidence::kHigh : Confidence::kMedium;
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kCacheBoundCause;
const KernelCause kCacheBoundCause = {
    .id = "cache_bound",
    .dimension = Dimension::kMemory,
    .is_remainder = true,
    .judge = Judge,
    .tool_rules = "SOLBottleneck|Memory|MemoryCacheAccessPattern",
    .concept_text =
        "Caches serve a fixed number of sectors and requests a cycle. When one of them is the busiest unit, fewer or "
        "wider "
        "requests help, and more warps do not.",
};

}  // namespace warpscope::rules
