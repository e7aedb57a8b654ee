// What recordings say about where and how they were made. [MT] Pure functions.
#pragma once

#include <vector>

#include "analysis/diff/diff.h"

namespace warpscope::analysis {

// Only what lasts and can matter to a comparison: not process ids, free memory or uptime. Sorted by subject and name.
std::vector<Fact> FactsOf(const model::Trace& trace);

// Only what differs, suspects first, then by subject and name. What one side does not tell is left out unless the user
// set it himself (tags, variables). Both lists are sorted as those of FactsOf().
std::vector<EnvironmentChange> CompareFacts(const std::vector<Fact>& a, const std::vector<Fact>& b);

}  // namespace warpscope::analysis
