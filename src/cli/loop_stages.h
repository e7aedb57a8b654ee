// The stages of `warpscope loop`: each does its part, or says why it cannot, and never keeps the next from running.
// [one thread]
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "baseline/store.h"
#include "cli/args.h"
#include "cli/io.h"
#include "model/trace.h"
#include "record/timed_run.h"
#include "report/loop_report.h"

namespace warpscope::cli {

struct LoopPlan {
  record::TimedRun run;
  uint64_t repeat = 3, warmup = 1;  // unprofiled
  uint64_t recordings = 2;
  bool counters = true;
  bool accept = false;  // replace the baseline
  std::string output;   // folder of the runs; "" for the working folder
  std::string name;     // of the baseline
  std::vector<std::pair<std::string, std::string>> tags;
};

// Runs all; fails only where the program itself cannot be run or fails.
Status RunLoop(const LoopPlan& plan, const baseline::Store& store, const Args& args, Io& io, report::LoopReport* out);

}  // namespace warpscope::cli
