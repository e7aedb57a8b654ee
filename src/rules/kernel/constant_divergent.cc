// constant_divergent: the cause of that id (src/rules/measurements/kernel/constant_divergent.cc) in kernels that a
// timeline and a counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kConstantDivergentRule;
const Rule kConstantDivergentRule = {"constant_divergent",
                                     Layer::kKernel,
                                     Dimension::kMemory,
                                     Breadth::kSpecific,
                                     [](const Context& c) { return EvaluateCounters(c, "constant_divergent"); },
                                     ""};

}  // namespace warpscope::rules
