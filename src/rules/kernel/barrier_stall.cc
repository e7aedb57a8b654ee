// barrier_stall: the cause of that id (src/rules/measurements/kernel/barrier_stall.cc) in kernels that a timeline and a
// counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kBarrierStallRule;
const Rule kBarrierStallRule = {"barrier_stall",
                                Layer::kKernel,
                                Dimension::kLatency,
                                Breadth::kSpecific,
                                [](const Context& c) { return EvaluateCounters(c, "barrier_stall"); },
                                ""};

}  // namespace warpscope::rules
