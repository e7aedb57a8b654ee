// counter_bank_conflict: shared memory accesses collide, as measured counters show. Trigger: causes of
// src/rules/measurements/kernel/ on kernels that the timeline and a counter report share. Must not claim: anything
// about kernels that were not profiled; a gain where another unit is as busy.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {
namespace {

Outcome Evaluate(const Context& c) { return EvaluateCounters(c, {"bank_conflict"}); }

}  // namespace

extern const Rule kCounterBankConflictRule;
const Rule kCounterBankConflictRule = {
    "counter_bank_conflict",
    Layer::kKernel,
    Dimension::kMemory,
    Breadth::kSpecific,
    Evaluate,
    "Shared memory has 32 banks; threads of a warp that need different addresses of one bank are served in turns. "
    "Counters show how many turns there were and how many would do."};

}  // namespace warpscope::rules
