// Breakdown: where the time of a step goes, seen from the busiest device: working, or idle by what the host did.
// [MT] Pure function of the context.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/gaps.h"
#include "rules/context.h"
#include "rules/finding.h"

namespace warpscope::rules {

// The parts add up to the recorded step of the counted window. Empty without device work. Kinds of work and
// causes under 1 % of the step are put together as "device_other" and "other_idle".
std::vector<TimePart> BreakDown(const Context& context);

// What the CPU did during an idle gap, to follow "the CPU": "waits for input data". `python`: of a program that
// IsPythonProgram(); the frames of others are of C or C++.
std::string_view HostWords(analysis::GapCause cause, bool python = true);

}  // namespace warpscope::rules
