// Which calls of different ranks are one collective, and what the ranks then say about each other.
// [one thread] Internal to the analysis of collectives.
// Within a group, calls match by recorded sequence number where all have one, else by order with the same name and
// size; after a call that only one rank recorded, the order is found again from the calls that follow.
#pragma once

#include <vector>

#include "analysis/collectives.h"

namespace warpscope::analysis {

// group_ranks: per call, the recorded members of its group (tells apart groups of one name); kNoString if unknown.
// Fills matched, the calls' match, ranks, unmatched and straggler_domain. REQUIRES: calls in their final order.
void MatchOverRanks(const Index& index, const Scope& scope, const std::vector<model::StringId>& group_ranks,
                    CollectiveSummary* out);

}  // namespace warpscope::analysis
