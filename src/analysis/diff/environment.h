// What two recordings say about where and how they were made, compared. [MT] Pure function.
#pragma once

#include <vector>

#include "analysis/diff/diff.h"

namespace warpscope::analysis {

// Only what differs, suspects first, then by subject and name. What one side does not tell is left out unless the user
// set it himself (tags, variables).
std::vector<EnvironmentChange> CompareEnvironment(const model::Trace& a, const model::Trace& b);

}  // namespace warpscope::analysis
