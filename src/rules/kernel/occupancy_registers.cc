// occupancy_registers: few warps fit on a multiprocessor because each thread takes many registers. Trigger: kernels of
// notable share, not a vendor's products, with theoretical occupancy under 30 % limited by registers alone. Must not
// claim: that occupancy is what limits the kernel; that takes counters, so confidence is low and the low end no gain.
#include "rules/kernel/counter_join.h"
#include "rules/kernel/occupancy_limits.h"

namespace warpscope::rules {
namespace {

// From launch data alone, of kernels without counters.
Outcome Guess(const Context& c) {
  const auto shapes = LimitedShapes(c, analysis::kLimitedByRegisters);
  if (shapes.empty()) return Clean();
  Finding finding;
  finding.actions.push_back(
      {"Let each thread hold less: shorter private arrays, accumulate on the fly, split the kernel in two.",
       "for (int k = 0; k < n; ++k) sum += w[k] * x[k];  // no float kept[192]"});
  finding.actions.push_back({"Or cap the registers and look whether spilling costs less than it gains.",
                             "__global__ void __launch_bounds__(256, 3) kernel(...)   // at least 3 blocks a "
                             "multiprocessor\n# Triton: num_warps=8, smaller BLOCK sizes"});
  return ConcludeLimited(c, std::move(finding), shapes, analysis::kLimitedByRegisters, "many registers");
}

Outcome Evaluate(const Context& c) { return WithCounters(c, "occupancy_registers", Guess(c)); }

}  // namespace

extern const Rule kOccupancyRegistersRule;
const Rule kOccupancyRegistersRule = {
    "occupancy_registers",
    Layer::kKernel,
    Dimension::kCompute,
    Breadth::kSpecific,
    Evaluate,
    "A multiprocessor hides the wait for memory by switching between many groups of threads (warps). All threads share "
    "one pool of registers: if each takes many, few warps fit, and there is nothing to switch to."};

}  // namespace warpscope::rules
