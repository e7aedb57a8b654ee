// What of a trace has no place in formats that hold a timeline only.
// [MT] pure function.
#pragma once

#include <string>
#include <vector>

#include "model/trace.h"

namespace warpscope::exporting {

// One sentence each: "12 profiled kernels with 340 counters".
std::vector<std::string> WithoutTimeline(const model::Trace& trace);

}  // namespace warpscope::exporting
