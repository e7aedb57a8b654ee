// divergence: the cause of that id (src/rules/measurements/kernel/divergence.cc) in kernels that a timeline and a
// counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kDivergenceRule;
const Rule kDivergenceRule = {"divergence",
                              Layer::kKernel,
                              Dimension::kCompute,
                              Breadth::kSpecific,
                              [](const Context& c) { return EvaluateCounters(c, "divergence"); },
                              ""};

}  // namespace warpscope::rules
