// Running two programs in turns and taking their times. [one thread]
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/gate/turns.h"
#include "base/status.h"
#include "cli/args.h"
#include "cli/io.h"
#include "record/timed_run.h"
#include "report/turns_report.h"

namespace warpscope::cli {

struct TurnsPlan {
  record::TimedRun a, b;
  uint64_t repeat = 5;  // of each; 2 to 100
  uint64_t warmup = 1;  // of each, before; not counted: caches of files and of compilers are cold
  double min_effect_pct = 1;
};

struct TurnsTaken {
  analysis::Turns turns;
  report::TurnsInput input;
};

// The flags that name a plan, for commands that run in turns: --repeat --warmup --metric --timeout --show-output
// --min-effect. kInvalidArgument says what does not fit.
Status ReadPlan(const Args& args, TurnsPlan* plan);

// A B B A A B ... Each run's end is told on standard error where it is watched. Fails where a run does (kUnsupported
// with its last output), or where the user stopped it.
Result<TurnsTaken> TakeTurns(const TurnsPlan& plan, const Io& io);

// The same for one program: `repeat` runs after the warm-up.
struct Repeats {
  bool of_steps = false;
  std::vector<analysis::RunCenter> centers;
  std::vector<double> runs_ms;
  std::vector<uint64_t> steps;
  std::string unread_steps;  // as TurnsInput's
};
Result<Repeats> Repeat(const record::TimedRun& run, uint64_t repeat, uint64_t warmup, const Io& io);

// The words as one line that a shell would take.
std::string CommandLine(const record::TimedRun& run);

// Whether the devices are fit to measure on, as sentences; empty without devices.
std::vector<std::string> FitnessNotes();

}  // namespace warpscope::cli
