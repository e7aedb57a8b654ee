// block_imbalance: the cause of that id (src/rules/measurements/kernel/block_imbalance.cc) in kernels that a timeline
// and a counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kBlockImbalanceRule;
const Rule kBlockImbalanceRule = {"block_imbalance",
                                  Layer::kKernel,
                                  Dimension::kCompute,
                                  Breadth::kSpecific,
                                  [](const Context& c) { return EvaluateCounters(c, "block_imbalance"); },
                                  ""};

}  // namespace warpscope::rules
