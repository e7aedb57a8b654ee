// narrow_access: the cause of that id (src/rules/measurements/kernel/narrow_access.cc) in kernels that a timeline and a
// counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kNarrowAccessRule;
const Rule kNarrowAccessRule = {"narrow_access",
                                Layer::kKernel,
                                Dimension::kMemory,
                                Breadth::kSpecific,
                                [](const Context& c) { return EvaluateCounters(c, "narrow_access"); },
                                ""};

}  // namespace warpscope::rules
