// latency_bound: the cause of that id (src/rules/measurements/kernel/latency_bound.cc) in kernels that a timeline and a
// counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kLatencyBoundRule;
const Rule kLatencyBoundRule = {"latency_bound",
                                Layer::kKernel,
                                Dimension::kLatency,
                                Breadth::kSpecific,
                                [](const Context& c) { return EvaluateCounters(c, "latency_bound"); },
                                ""};

}  // namespace warpscope::rules
