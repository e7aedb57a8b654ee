// A trace as lines of text that do not depend on the numbers of rows and strings: two traces with equal lines hold the
// same events.
// [MT] pure function.
#pragma once

#include <string>
#include <vector>

#include "model/trace.h"

namespace warpscope::round_trip {

// Sorted. Sources and their clocks' base are not part of it.
std::vector<std::string> Describe(const model::Trace& trace);

}  // namespace warpscope::round_trip
