// Collector: CUPTI's side of the session: its buffers go round here, and its settings are made once.
// [MT] The buffer callbacks come from any thread, also from CUPTI's own.
#pragma once

#include <cstdint>

#include "agent/counters/plan.h"
#include "wire/control.h"

namespace warpscope::agent {

// Registers our buffers and makes the settings that may be made only once, before CUDA is initialised. False: no device
// work will be recorded; a note says why.
// CUPTI is never finalised: cuptiFinalize() is safe only in the exit of an API call, with no other thread in CUPTI, and
// crashed with CUDA graphs before 12.4/12.6 (its release notes; pytorch/pytorch#146604, pytorch/kineto#686). What stays
// after the last window is the cost of a CUPTI with nothing switched on.
bool StartCupti(const wire::Control& settings, const Plan& plan);
// Puts what CUPTI filled and NVTX told into the stream; ranges that are open for `open_age_ns` as they stand
// (kNoRanges: none). REQUIRES: the session's `writing` is held, or no writer runs.
constexpr int64_t kNoRanges = INT64_MAX;
void Drain(int64_t open_age_ns);
// Lost records, and the status row.
void ReportLosses();

}  // namespace warpscope::agent
