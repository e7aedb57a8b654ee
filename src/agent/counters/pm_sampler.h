// PmSampler: counters of the devices that this process uses, sampled in short windows beside the recording (plan: mode
// sampled). It has a thread of its own, which takes no signal, sleeps between windows, and decodes after each.
// [MT] Start() once; Stop() waits for its end, but not longer than `limit_ns`. What it cannot do it tells in the
// stream.
#pragma once

#include <cstdint>

#include "agent/counters/plan.h"

namespace warpscope::agent {

void StartPmSampler(const Plan& plan);
void StopPmSampler(int64_t limit_ns);
// In a forked child: the thread is the parent's.
void ForgetPmSamplerAfterFork();

}  // namespace warpscope::agent
