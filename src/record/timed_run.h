// A run of a program from outside: how long it took, and the step times that it told if it told any. Nothing is
// injected. [one thread]
//
// How a program tells its steps: it appends one time a line, in ms, to the file that WARPSCOPE_STEP_TIMES names; or it
// prints lines such as "step 12: 31.5 ms", and TimedRun::metric is the text before the number ("step 12:" varies, so
// take what does not: ": "). A unit behind the number (ns, us, ms, s) is heeded; without one it is ms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace warpscope::record {

inline constexpr char kStepTimesVariable[] = "WARPSCOPE_STEP_TIMES";

struct TimedRun {
  std::vector<std::string> words;                              // program and arguments
  std::vector<std::pair<std::string, std::string>> variables;  // added to the environment
  std::string metric;                                          // "": no output is searched
  bool show_output = false;                                    // pass the program's output on to our standard error
  std::optional<int64_t> timeout_ns;
  bool watch_gpu = false;  // look for a GPU's driver in the program and its children: not for runs whose time counts
};

struct TimedEnd {
  int exit_code = 0;  // 128 + N where signal N ended it
  std::optional<int> signal;
  bool timed_out = false;
  int64_t wall_ns = 0;
  std::vector<double> step_ms;   // in order; at most kMostSteps
  uint64_t unread_steps = 0;     // lines that should tell a step and do not: no number, none that a step can take
  std::string unread_line;       // the first of them, cut
  std::optional<bool> used_gpu;  // watch_gpu: a GPU's device was mapped; absent if the run was too short to tell
  std::string tail;              // the last kTailBytes of what it printed

  static constexpr size_t kMostSteps = 1'000'000, kTailBytes = 4096;
};

// Runs it to its end; standard input is empty. Fails only if it cannot be started: kNotFound, kIo.
Result<TimedEnd> RunTimed(const TimedRun& run);

// A step takes from 0.1 us to three hours; other numbers are none.
inline constexpr double kLeastStepMs = 1e-4, kMostStepMs = 1e7;

// The number behind `metric` in a line, in ms; absent if there is none or no step takes that long.
std::optional<double> MetricIn(std::string_view line, std::string_view metric);

// "failed with exit status 3", "was ended by signal 11 (Segmentation fault)"; a shell's or launcher's 128 + N is told
// with the signal too.
std::string HowItEnded(int exit_code, std::optional<int> signal);

}  // namespace warpscope::record
