// counter_uncoalesced: global memory accesses are scattered, as measured counters show. Trigger: causes of
// src/rules/measurements/kernel/ on kernels that the timeline and a counter report share. Must not claim: waste that
// caches absorb: memory must set the pace.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {
namespace {

Outcome Evaluate(const Context& c) { return EvaluateCounters(c, {"uncoalesced"}); }

}  // namespace

extern const Rule kCounterUncoalescedRule;
const Rule kCounterUncoalescedRule = {"counter_uncoalesced",
                                      Layer::kKernel,
                                      Dimension::kMemory,
                                      Breadth::kSpecific,
                                      Evaluate,
                                      "Memory moves in sectors of 32 bytes. Counters show how many sectors were moved "
                                      "and how many the accessed bytes would need side by side."};

}  // namespace warpscope::rules
