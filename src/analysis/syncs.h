// Blocking calls and what they cost: not the time the host waits for work that had to be done anyway, but the time the
// device then stands idle because the host could not run ahead.
// [MT] Pure functions. Calls that start in the window.
//
// For each call: waited = the part of it in which the device still worked on items issued before its return;
// caused idle = device idle time from the end of that work to the start of the next item, as far as the next item was
// issued after the call returned, and no longer than the host would have needed without the wait: the time the host
// took from the return to that launch (had it not waited, it would have made that launch earlier by the wait's length).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/index.h"
#include "analysis/window.h"

namespace warpscope::analysis {

enum class SyncCallKind : uint8_t {
  kStream,
  kDevice,
  kEvent,
  kCopy,     // blocking copy: synchronous form, or asynchronous from or to pageable memory
  kFree,     // cudaFree and the like wait for the device
  kPolling,  // event or stream queries in a loop, folded into one
};

struct SyncCall {
  uint32_t row = model::kNone;       // host row of the call (polling: the first)
  uint32_t last_row = model::kNone;  // polling: the last; else == row
  SyncCallKind kind = SyncCallKind::kStream;
  uint32_t thread = model::kNone;
  int64_t begin_ns = 0, end_ns = 0;
  uint64_t polls = 0;          // folded queries; 0 otherwise
  int64_t waited_ns = 0;       // of its duration: queued work was still running
  int64_t caused_idle_ns = 0;  // device idle that would not be there had the host run ahead
  int64_t idle_after_ns = 0;   // whole idle from the work's end to the next item's start
  int64_t host_after_ns = 0;   // host time from its return to the next launch call's start
};

struct SyncGroup {
  SyncCallKind kind = SyncCallKind::kStream;
  std::string call;    // "cudaStreamSynchronize"
  std::string caller;  // operator, with the user's source line if known: "aten::item, train.py(40): step"
  model::StringId op = model::kNoString;  // outermost operator; kNoString if none
  model::StringId user_frame = model::kNoString;
  uint64_t count = 0;
  int64_t total_ns = 0, waited_ns = 0, caused_idle_ns = 0;
  uint32_t first_row = model::kNone;
  bool recorder = false;        // made by the profiler itself (at the end of the recording)
  std::vector<uint32_t> calls;  // rows of SyncSummary::calls
};

struct SyncSummary {
  std::vector<SyncCall> calls;                              // in time order
  std::vector<SyncGroup> groups;                            // most caused idle first, then total time, then name
  int64_t total_ns = 0, waited_ns = 0, caused_idle_ns = 0;  // without the recorder's own
};

SyncSummary SummarizeSyncs(const Index& index, const Scope& scope = {});

std::string_view SyncCallKindName(SyncCallKind kind);

}  // namespace warpscope::analysis
