// The options of `warpscope record` and what they mean together.
// [MT] Pure functions and constants.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cli/args.h"
#include "cli/command.h"
#include "record/control.h"

namespace warpscope::cli {

std::span<const Flag> RecordFlags();

struct RecordOptions {
  record::Settings settings;
  std::string output;  // "": a name is made
  std::vector<std::pair<std::string, std::string>> tags;
  bool require = false;  // fail where the program would run unrecorded
  bool analyze = true;
  unsigned host_hz = 100;  // stack samples a second; 0: none
  // Lines of the counter plan (wire/counter_plan.h): words and values; none: no counters.
  std::vector<std::pair<std::string, std::string>> counter_plan;
  bool samples_stalls() const;  // by that plan
};

// kInvalidArgument with what excludes what.
Result<RecordOptions> ReadRecordOptions(const Args& args);

}  // namespace warpscope::cli
