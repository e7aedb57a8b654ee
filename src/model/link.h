// Calls and device work that share a correlation id.
// [one thread]
#pragma once

#include <vector>

#include "model/trace.h"

namespace warpscope::model {

// Fills gpu.call and Sync::call, and counts device work without a call. REQUIRES: sorted tables.
// Returns the launches that no device work names.
std::vector<uint32_t> LinkDeviceWork(Trace* trace);

// ROCm's records name the innermost call, which with HSA tracing is one inside hipLaunchKernel: such work goes to the
// launch around it. Counts launches that stay alone and work that starts before its launch. REQUIRES: LinkDeviceWork(),
// nested rows.
void LiftToLaunches(Trace* trace, const std::vector<uint32_t>& alone);

}  // namespace warpscope::model
