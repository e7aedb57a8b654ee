// counter_occupancy: too few warps fit on an SM to hide latency, as measured counters show. Trigger: causes of
// src/rules/measurements/kernel/ on kernels that the timeline and a counter report share. Must not claim: that low
// occupancy is a fault by itself: kernels at a roof are left alone.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {
namespace {

Outcome Evaluate(const Context& c) {
  return EvaluateCounters(c, {"occupancy_block_size", "occupancy_registers", "occupancy_shared"});
}

}  // namespace

extern const Rule kCounterOccupancyRule;
const Rule kCounterOccupancyRule = {"counter_occupancy",
                                    Layer::kKernel,
                                    Dimension::kLatency,
                                    Breadth::kSpecific,
                                    Evaluate,
                                    "An SM hides waiting by switching to another warp. Counters show how many warps "
                                    "there were, what kept others away, and whether more would have had work."};

}  // namespace warpscope::rules
