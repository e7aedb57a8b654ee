// occupancy_block_size: the cause of that id (src/rules/measurements/kernel/occupancy_block_size.cc) in kernels that a
// timeline and a counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kOccupancyBlockSizeRule;
const Rule kOccupancyBlockSizeRule = {"occupancy_block_size",
                                      Layer::kKernel,
                                      Dimension::kLatency,
                                      Breadth::kSpecific,
                                      [](const Context& c) { return EvaluateCounters(c, "occupancy_block_size"); },
                                      ""};

}  // namespace warpscope::rules
