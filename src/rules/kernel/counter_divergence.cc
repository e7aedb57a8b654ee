// counter_divergence: threads of a warp take different ways, as measured counters show. Trigger: causes of
// src/rules/measurements/kernel/ on kernels that the timeline and a counter report share. Must not claim: a gain for
// kernels that wait for memory: fewer instructions do not help them.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {
namespace {

Outcome Evaluate(const Context& c) { return EvaluateCounters(c, {"divergence"}); }

}  // namespace

extern const Rule kCounterDivergenceRule;
const Rule kCounterDivergenceRule = {"counter_divergence",
                                     Layer::kKernel,
                                     Dimension::kCompute,
                                     Breadth::kSpecific,
                                     Evaluate,
                                     "A warp executes each way of a branch after the other. Counters show how many of "
                                     "its 32 threads took part in an instruction on average."};

}  // namespace warpscope::rules
