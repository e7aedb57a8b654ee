// l2_thrash: the cause of that id (src/rules/measurements/kernel/l2_thrash.cc) in kernels that a timeline and a counter
// report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kL2ThrashRule;
const Rule kL2ThrashRule = {"l2_thrash",
                            Layer::kKernel,
                            Dimension::kMemory,
                            Breadth::kSpecific,
                            [](const Context& c) { return EvaluateCounters(c, "l2_thrash"); },
                            ""};

}  // namespace warpscope::rules
