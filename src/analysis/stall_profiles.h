// What samples of stalls say of each kernel, as a profile such as a counter tool writes (model::KernelProfile), so that
// the rules made for those see why the warps of a recorded run wait.
// [one thread] of whoever holds the trace.
#pragma once

#include <cstdint>

#include "model/trace.h"

namespace warpscope::analysis {

// Fewer samples tell a share too roughly: 1,000 know one of a quarter within 3 points (binomial, 95 %). Own choice.
inline constexpr uint64_t kLeastStallSamples = 1000;

// Adds the samples of each reason (Nsight Compute's smsp__pcsamp_warps_issue_stalled_*) to the profiles of that kernel,
// or makes one of nothing else, without a duration or geometry. The theoretical occupancy of the geometry that took
// most time goes with a new one. Samples are shares of warps' time: they tell no rate and no use of a unit, so causes
// that need those abstain. Profiles that a tool measured take precedence: if there are any, nothing is added.
// REQUIRES: Finish(); AddSampledProfiles() has been called.
void AddStallProfiles(model::Trace* trace);

}  // namespace warpscope::analysis
