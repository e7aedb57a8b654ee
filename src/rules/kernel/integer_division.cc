// integer_division: the cause of that id (src/rules/measurements/kernel/integer_division.cc) in kernels that a timeline
// and a counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kIntegerDivisionRule;
const Rule kIntegerDivisionRule = {"integer_division",
                                   Layer::kKernel,
                                   Dimension::kCompute,
                                   Breadth::kSpecific,
                                   [](const Context& c) { return EvaluateCounters(c, "integer_division"); },
                                   ""};

}  // namespace warpscope::rules
