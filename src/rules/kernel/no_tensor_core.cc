// no_tensor_core: the cause of that id (src/rules/measurements/kernel/no_tensor_core.cc) in kernels that a timeline and
// a counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kNoTensorCoreRule;
const Rule kNoTensorCoreRule = {"no_tensor_core",
                                Layer::kKernel,
                                Dimension::kCompute,
                                Breadth::kSpecific,
                                [](const Context& c) { return EvaluateCounters(c, "no_tensor_core"); },
                                ""};

}  // namespace warpscope::rules
