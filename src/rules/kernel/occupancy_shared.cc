// occupancy_shared: few blocks fit on a multiprocessor because each takes much shared memory. Trigger: kernels of
// notable share, not a vendor's products, with theoretical occupancy under 30 % limited by shared memory alone. Must
// not claim: that occupancy is what limits the kernel; that takes counters, so confidence is low and the low end no
// gain.
#include "rules/kernel/counter_join.h"
#include "rules/kernel/occupancy_limits.h"

namespace warpscope::rules {
namespace {

// From launch data alone, of kernels without counters.
Outcome Guess(const Context& c) {
  const auto shapes = LimitedShapes(c, analysis::kLimitedByShared);
  if (shapes.empty()) return Clean();
  Finding finding;
  finding.actions.push_back({"Ask only for the shared memory that is used, or use smaller tiles.",
                             "kernel<<<grid, 128, 128 * sizeof(float), stream>>>(...);   // not 200 KiB\n# Triton: "
                             "fewer num_stages, smaller BLOCK sizes"});
  finding.actions.push_back({"Or put more threads into each block, so that they share the tile.",
                             "kernel<<<grid / 4, 512, shared, stream>>>(...);"});
  return ConcludeLimited(c, std::move(finding), shapes, analysis::kLimitedByShared, "much shared memory");
}

Outcome Evaluate(const Context& c) { return WithCounters(c, "occupancy_shared", Guess(c)); }

}  // namespace

extern const Rule kOccupancySharedRule;
const Rule kOccupancySharedRule = {"occupancy_shared",
                                   Layer::kKernel,
                                   Dimension::kMemory,
                                   Breadth::kSpecific,
                                   Evaluate,
                                   "Each multiprocessor has a small fast memory that the blocks on it share. A block "
                                   "that reserves most of it leaves no "
                                   "room for others, so too few threads are there to hide the wait for main memory."};

}  // namespace warpscope::rules
