// low_ilp: the cause of that id (src/rules/measurements/kernel/low_ilp.cc) in kernels that a timeline and a counter
// report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kLowIlpRule;
const Rule kLowIlpRule = {"low_ilp",
                          Layer::kKernel,
                          Dimension::kLatency,
                          Breadth::kSpecific,
                          [](const Context& c) { return EvaluateCounters(c, "low_ilp"); },
                          ""};

}  // namespace warpscope::rules
