// counter_latency: warps wait and nothing is busy, as measured counters show. Trigger: causes of
// src/rules/measurements/kernel/ on kernels that the timeline and a counter report share. Must not claim: a gain:
// waiting can be hidden in many ways, and the counters do not tell which of them is open.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {
namespace {

Outcome Evaluate(const Context& c) { return EvaluateCounters(c, {"barrier_stall", "latency_bound", "register_spill"}); }

}  // namespace

extern const Rule kCounterLatencyRule;
const Rule kCounterLatencyRule = {"counter_latency",
                                  Layer::kKernel,
                                  Dimension::kLatency,
                                  Breadth::kSpecific,
                                  Evaluate,
                                  "When no unit is busy, a kernel waits for answers. Counters show what for: memory, "
                                  "barriers, the instruction before."};

}  // namespace warpscope::rules
