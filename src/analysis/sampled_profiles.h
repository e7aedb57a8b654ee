// What sampled counters say of each kernel, as a profile such as a counter tool writes (model::KernelProfile), so that
// the rules and tables made for those judge a recorded run as well.
// [one thread] of whoever holds the trace.
#pragma once

#include "model/trace.h"

namespace warpscope::analysis {

// Appends a profile for each kernel whose counters are known (counter_attribution.h), with metrics under Nsight
// Compute's names; their duration is the mean one of the timeline. Only what follows from sampled quantities is there:
// causes that need more abstain. Profiles that a tool measured take precedence: if there are any, nothing is added.
// REQUIRES: Finish().
void AddSampledProfiles(model::Trace* trace);

// Whether that function made the profile.
bool IsSampled(const model::Trace& trace, const model::KernelProfile& profile);

}  // namespace warpscope::analysis
