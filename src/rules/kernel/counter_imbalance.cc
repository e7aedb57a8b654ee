// counter_imbalance: part of the device stands idle while a kernel runs, as measured counters show. Trigger: causes of
// src/rules/measurements/kernel/ on kernels that the timeline and a counter report share. Must not claim: how far the
// work of a small grid can be divided: no gain is predicted for it.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {
namespace {

Outcome Evaluate(const Context& c) { return EvaluateCounters(c, {"block_imbalance", "small_grid", "tail_wave"}); }

}  // namespace

extern const Rule kCounterImbalanceRule;
const Rule kCounterImbalanceRule = {"counter_imbalance",
                                    Layer::kKernel,
                                    Dimension::kCompute,
                                    Breadth::kSpecific,
                                    Evaluate,
                                    "A kernel ends with its last block. Counters show how long each SM worked: where "
                                    "the longest is far from the average, part of the device waited."};

}  // namespace warpscope::rules
