// Host time: what the threads that feed the device were doing, moment by moment, and the stretches in which nothing
// was issued to the device at all.
// [MT] Pure functions of a finished trace.
//
// Two views of the same time:
// - HostSpan: a partition of one thread's window by activity. Some activities are sticky: everything inside a data
//   loading, compilation, file, garbage-collection or sleeping frame counts as that.
// - IssueGap: a maximal interval in which no issuing thread of the process is inside a device call (launch, copy,
//   synchronisation, allocation). A thread that waits for another which issues meanwhile (main during backward) makes
//   no gap. Gaps are what launch-free host work looks like; many short ones are launch overhead, few long ones are
//   host work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/index.h"
#include "model/trace.h"

namespace warpscope::analysis {

enum class HostActivity : uint8_t {
  kUnrecorded,         // no row covers it (or only an annotation): the file cannot tell
  kPython,             // Python frames, none of the kinds below
  kOperator,           // framework operators
  kCall,               // device calls that do not wait
  kDeviceWait,         // calls that wait for the device
  kAllocation,         // device or pinned memory allocated or freed
  kDataLoading,
  kCompilation,        // tracing, code generation, module loading
  kFileIo,             // reading, writing, serialising
  kGarbageCollection,
  kSleepOrLock,        // sleep, lock, queue, join, select: waits for something outside the device
  kProfiler,           // the recorder's own work
};
std::string_view HostActivityName(HostActivity activity);  // "data loading", ...

struct HostSpan {
  int64_t start_ns, end_ns;
  HostActivity activity;
  uint32_t row;        // the row that decided: the sticky frame, or the innermost row; kNone for kUnrecorded
};

// Spans of [begin_ns, end_ns) of one thread in time order, gapless, adjacent ones of equal activity and row merged.
std::vector<HostSpan> PartitionThread(const Index& index, uint32_t thread, int64_t begin_ns, int64_t end_ns);

struct IssueGap {
  int64_t start_ns, end_ns;
  uint32_t thread;     // that made the call which ends the gap
  uint32_t prev_call;  // host row; kNone at the window's start
  uint32_t next_call;  // host row; kNone at the window's end
};
// Gaps of the rank's issuing threads taken together, in time order. Empty if it has none.
std::vector<IssueGap> FindIssueGaps(const Index& index, const Rank& rank, int64_t begin_ns, int64_t end_ns);

// What one row is by itself, its place in the nest left aside.
HostActivity ActivityOf(const Index& index, uint32_t host_row);
bool IsSticky(HostActivity activity);

}  // namespace warpscope::analysis
