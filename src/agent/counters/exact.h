// Exact counters: chosen launches are measured by CUPTI's range profiler while they run, one at a time, and written to
// the stream. Nothing else of CUPTI is switched on. [MT] Callbacks run in application threads; the rest is called once.
// While a launch is measured no other launch of the process begins; a launch that nobody asked for runs as it is.
#pragma once

#include "agent/counters/plan.h"

namespace warpscope::agent {

// Subscribes to the launches. What cannot be is told in a note; then the program runs unmeasured. REQUIRES: the session
// is open and its CUPTI found.
void StartExact(const Plan& plan, const char* run_folder);
// The writer's, now and then: once all is measured, launches cost nothing any more.
void TickExact();
// The last words: what was not measured. REQUIRES: the session's `writing` is held.
void FinishExact();
void ForgetExactAfterFork();

}  // namespace warpscope::agent
