// What a counter tool derives from a launch's geometry alone, for profiles whose tool did not: theoretical occupancy
// and its limits, waves, sizes. [MT] Pure function.
#pragma once

#include "analysis/counters.h"
#include "model/trace.h"

namespace warpscope::analysis {

// Sets those of `counters` that are absent and that geometry and device tell.
void FillFromLaunch(const model::Trace& trace, const model::KernelProfile& profile, KernelCounters* counters);

}  // namespace warpscope::analysis
