// Where the recording shows a finding: the pieces of it that the finding's change would do the most to, so that they
// need no word from the rule; without a change, the longest rows that its subject names.
// [MT] Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.h"
#include "rules/finding.h"

namespace warpscope::rules {

struct Where {
  int64_t begin_ns = 0, end_ns = 0;
  uint32_t gpu_row = model::kNone;  // device work, or the first of it
  uint32_t thread = model::kNone;   // else a thread's time
  int64_t weight_ns = 0;            // what the change takes away there
};

inline constexpr size_t kPlacesShown = 3;

// At most `kPlacesShown` that do not overlap, heaviest first, then by time. Empty if the recording shows none.
std::vector<Where> WhereOf(const model::Trace& trace, const Finding& finding);

}  // namespace warpscope::rules
