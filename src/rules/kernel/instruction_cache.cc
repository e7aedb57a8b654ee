// instruction_cache: the cause of that id (src/rules/measurements/kernel/instruction_cache.cc) in kernels that a
// timeline and a counter report share. Trigger, prediction and what it must not claim: there.
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

extern const Rule kInstructionCacheRule;
const Rule kInstructionCacheRule = {"instruction_cache",
                                    Layer::kKernel,
                                    Dimension::kLatency,
                                    Breadth::kSpecific,
                                    [](const Context& c) { return EvaluateCounters(c, "instruction_cache"); },
                                    ""};

}  // namespace warpscope::rules
