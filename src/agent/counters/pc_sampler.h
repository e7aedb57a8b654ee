// PcSampler: where the warps of the device stand and why they wait, sampled beside the activity trace: CUPTI's PC
// sampling of every context, added up per instruction and stall reason, and the machine code that the samples lie in.
// [MT] Contexts and modules are told by application threads. Poll and Stop are the writer's thread's, outside
// `writing`, since CUPTI may hold them up; Write belongs to whoever holds `writing`. No lock is held while CUPTI is
// called: its callbacks come with locks of the driver held. Fixed memory; what finds no room is counted as lost.
#pragma once

#include <cstdint>

#include "agent/counters/plan.h"

namespace warpscope::agent {

// REQUIRES: CUPTI is loaded, the subscriber is there, and CUDA is not initialised yet.
void StartPcSampler(const Plan& plan);
// Reads what CUPTI has; samples that come while `recording` is false belong to no window and are left out.
void PollPcSamples(int64_t now_ns, bool recording);
// Puts what was read into the stream now and then, or at once with `all`.
void WritePcSamples(int64_t now_ns, bool all);
// Ends sampling and reads what is left.
void StopPcSampler(bool recording);
void ForgetPcSamplerAfterFork();

}  // namespace warpscope::agent
