// Host time: what the threads that feed the device were doing, moment by moment, and the stretches in which nothing
// was issued to the device at all.
// [MT] Pure functions of a finished trace.
//
// - HostSpan: a partition of one thread's window by cause (the vocabulary of gaps.h, here for all of the thread's
//   time, also while the device is busy).
// - IssueGap: a maximal interval in which no issuing thread of the rank is inside a device call (launch, copy,
//   synchronisation, allocation). A thread that waits for another which issues meanwhile (main during backward) makes
//   no gap. Many short ones are launch overhead, few long ones are host work.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/gaps.h"
#include "analysis/index.h"

namespace warpscope::analysis {

struct HostSpan {
  int64_t start_ns, end_ns;
  GapCause cause;
  uint32_t row;  // the row that decided it; kNone if nothing was recorded
};

// Spans of [begin_ns, end_ns) of one thread in time order, gapless; adjacent ones of equal cause and row are merged.
std::vector<HostSpan> PartitionThread(const Index& index, uint32_t thread, int64_t begin_ns, int64_t end_ns);

struct IssueGap {
  int64_t start_ns, end_ns;
  uint32_t thread;     // that made the call which ends the gap
  uint32_t prev_call;  // host row; kNone at the window's start
  uint32_t next_call;  // host row; kNone at the window's end
};
// Gaps of the rank's issuing threads taken together, in time order. Empty if it has none.
std::vector<IssueGap> FindIssueGaps(const Index& index, const Rank& rank, int64_t begin_ns, int64_t end_ns);

}  // namespace warpscope::analysis
