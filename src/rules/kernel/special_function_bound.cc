// special_function_bound: the cause of that id (src/rules/measurements/kernel/special_function_bound.cc) in kernels
// that a timeline and a counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kSpecialFunctionBoundRule;
const Rule kSpecialFunctionBoundRule = {"special_function_bound",
                                        Layer::kKernel,
                                        Dimension::kCompute,
                                        Breadth::kSpecific,
                                        [](const Context& c) { return EvaluateCounters(c, "special_function_bound"); },
                                        ""};

}  // namespace warpscope::rules
