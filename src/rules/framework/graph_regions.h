// Regions of the recorded program that a CUDA graph could hold: runs of device work with nothing between them that a
// graph forbids or that is no launch work at all.
// [MT] Pure function.
#pragma once

#include <vector>

#include "rules/context.h"

namespace warpscope::rules {

// Rows of Trace::gpu in issue order. A run ends at a wait for the device, an allocation, a host copy, the end of a
// step, a graph launch, and host work longer than `max_host_gap_ns` that issues nothing.
std::vector<std::vector<uint32_t>> GraphRegions(const Context& context, int64_t max_host_gap_ns, size_t min_rows);

// Longest stretch of host work that still counts as launching: well over the usual distance between calls.
int64_t LaunchGapLimitNs(const Context& context);

}  // namespace warpscope::rules
