// RunJoin: faults of logs beside a recorded run: which step each hit, or how long before or after the run it came.
// [MT] Values and pure functions. Times are epoch nanoseconds, UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "faults/report.h"

namespace warpscope::faults {

struct RunStep {
  std::string label;  // "ProfilerStep#3"
  int64_t begin_ns = 0, end_ns = 0;
};

struct Run {
  std::string name;
  int64_t begin_ns = 0, end_ns = 0;  // everything recorded
  std::vector<RunStep> steps;        // in order
  std::set<uint64_t> pids;           // of its processes
};

// What turns the clocks of logs into epoch time; absent where nobody knows.
struct ClockShift {
  std::optional<int64_t> boot_epoch_ns;  // when the machine of the log started
  int64_t zone_ns = 0;                   // of times without a zone: local time less UTC
};

struct RunHit {
  size_t burst = 0;  // of Report::bursts
  enum class Relation : uint8_t { kBefore, kDuring, kAfter } relation = Relation::kDuring;
  std::optional<size_t> step;  // of Run::steps
  // Since the step's begin; without a step since the run's; of kBefore and kAfter the distance to the run.
  int64_t offset_ns = 0;
  bool is_own_process = false;  // the fault names a process of the run
};

struct RunJoin {
  Run run;
  std::vector<RunHit> hits;        // in order of time; information alone is left out
  std::vector<std::string> notes;  // what could not be placed, and why
};

// Faults up to an hour before and after the run are told.
RunJoin JoinRun(const Report& report, Run run, const ClockShift& shift);

// "step 12 (ProfilerStep#12), 3.2 ms into it", "4.1 s before the run".
std::string PlaceOf(const RunHit& hit, const Run& run);

}  // namespace warpscope::faults
