// bank_conflict: the cause of that id (src/rules/measurements/kernel/bank_conflict.cc) in kernels that a timeline and a
// counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kBankConflictRule;
const Rule kBankConflictRule = {"bank_conflict",
                                Layer::kKernel,
                                Dimension::kMemory,
                                Breadth::kSpecific,
                                [](const Context& c) { return EvaluateCounters(c, "bank_conflict"); },
                                ""};

}  // namespace warpscope::rules
