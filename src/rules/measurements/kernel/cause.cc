#include "rules/measurements/kernel/cause.h"

#include <fmt/format.h>

#include <algorithm>

#include "rules/text.h"

namespace warpscope::rules {

#define WS_KERNEL_CAUSE(id, Camel) extern const KernelCause k##Camel##Cause;
#include "rules/measurements/kernel/causes.def"
#undef WS_KERNEL_CAUSE

using analysis::Counter;

const std::vector<const KernelCause*>& AllKernelCauses() {
  static const std::vector<const KernelCause*> kAll = {
#define WS_KERNEL_CAUSE(id, Camel) &k##Camel##Cause,
#include "rules/measurements/kernel/causes.def"
#undef WS_KERNEL_CAUSE
  };
  return kAll;
}

std::string_view UnitText(Unit unit) {
  switch (unit) {
    case Unit::kCompute: return "the SMs' instruction pipes";
    case Unit::kDram: return "the DRAM";
    case Unit::kL2: return "the L2 cache";
    case Unit::kL1: return "the L1 cache and shared memory";
  }
  return "";
}

std::vector<UnitUse> UnitsByUse(const KernelCase& kernel) {
  // The tool's L2 and L1 throughputs include work inside the caches that no request waits for: the share of the whole
  // memory system is their upper end.
  const auto memory = kernel[Counter::kMemoryPct];
  std::vector<UnitUse> units;
  const auto add = [&](Unit unit, std::optional<double> pct, bool is_memory) {
    if (!pct) return;
    units.push_back({unit, is_memory && memory ? std::min(*pct, *memory) : *pct});
  };
  if (const auto dram = kernel[Counter::kDramPct])
    add(Unit::kDram, std::min(std::max(100.0, *dram), *dram / kernel.counters.dram_reach_ratio), false);
  add(Unit::kL2, kernel[Counter::kL2Pct], true);
  add(Unit::kL1, kernel[Counter::kL1Pct] ? kernel[Counter::kL1Pct] : kernel[Counter::kL1DataPct], true);
  add(Unit::kCompute, kernel[Counter::kComputePct], false);
  constexpr double kTie = 2;
  std::stable_sort(units.begin(), units.end(), [](const UnitUse& a, const UnitUse& b) { return a.pct > b.pct; });
  for (size_t i = 1; i < units.size(); ++i) {
    if (units[i].unit == Unit::kDram && units[0].unit != Unit::kCompute && units[0].pct - units[i].pct <= kTie)
      std::rotate(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(i),
                  units.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return units;
}

double UsePct(const KernelCase& kernel, Unit unit) {
  for (const UnitUse& use : UnitsByUse(kernel)) {
    if (use.unit == unit) return use.pct;
  }
  return 0;
}

double NextUsePct(const KernelCase& kernel, Unit except) {
  for (const UnitUse& use : UnitsByUse(kernel)) {
    if (use.unit != except) return use.pct;
  }
  return 0;
}

double StalledPct(const KernelCase& kernel, std::initializer_list<std::string_view> reasons) {
  double sum = 0;
  for (const std::string_view reason : reasons) sum += kernel.counters.StallPct(reason);
  return sum;
}

double LatencyPct(const KernelCase& kernel) {
  if (kernel.counters.stalls.empty()) return 0;
  return 100 - StalledPct(kernel, {"selected", "not_selected", "math_pipe_throttle", "dispatch_stall"});
}

std::string Shown(const KernelCase& kernel, Counter counter, std::string_view unit) {
  const auto value = kernel[counter];
  const std::string number = !value                       ? "absent"
                             : *value != 0 && *value < 10 ? fmt::format("{:.3g}", *value)
                                                          : Count(*value);
  return fmt::format("{} = {}{}{}", kernel.Name(counter), number, unit.empty() ? "" : " ", unit);
}

}  // namespace warpscope::rules
