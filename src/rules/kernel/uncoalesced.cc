// uncoalesced: the cause of that id (src/rules/measurements/kernel/uncoalesced.cc) in kernels that a timeline and a
// counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kUncoalescedRule;
const Rule kUncoalescedRule = {"uncoalesced",
                               Layer::kKernel,
                               Dimension::kMemory,
                               Breadth::kSpecific,
                               [](const Context& c) { return EvaluateCounters(c, "uncoalesced"); },
                               ""};

}  // namespace warpscope::rules
