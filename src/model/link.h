// Calls and device work that share a correlation id.
// [one thread]
#pragma once

#include "model/trace.h"

namespace warpscope::model {

// Fills gpu.call and Sync::call, and counts what has no partner. REQUIRES: sorted tables.
void LinkDeviceWork(Trace* trace);

}  // namespace warpscope::model
