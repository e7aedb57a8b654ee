// register_spill: the cause of that id (src/rules/measurements/kernel/register_spill.cc) in kernels that a timeline and
// a counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kRegisterSpillRule;
const Rule kRegisterSpillRule = {"register_spill",
                                 Layer::kKernel,
                                 Dimension::kMemory,
                                 Breadth::kSpecific,
                                 [](const Context& c) { return EvaluateCounters(c, "register_spill"); },
                                 ""};

}  // namespace warpscope::rules
