// What samples of stalls tell of one kernel, as a sentence: what its warps wait for most, and at which line or
// instruction. [MT] Pure function.
#pragma once

#include <optional>
#include <string>

#include "rules/context.h"
#include "rules/finding.h"

namespace warpscope::rules {

// Absent without samples of that kernel, or with too few to tell a share (analysis::kLeastStallSamples). Says what was
// seen, never what a change would gain. Linear in the rows of samples.
std::optional<Evidence> StallEvidence(const Context& context, model::StringId kernel);

}  // namespace warpscope::rules
