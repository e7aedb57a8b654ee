// cache_bound: the cause of that id (src/rules/measurements/kernel/cache_bound.cc) in kernels that a timeline and a
// counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kCacheBoundRule;
const Rule kCacheBoundRule = {"cache_bound",
                              Layer::kKernel,
                              Dimension::kMemory,
                              Breadth::kSpecific,
                              [](const Context& c) { return EvaluateCounters(c, "cache_bound"); },
                              ""};

}  // namespace warpscope::rules
