// One recorded run of a program, for commands that record as a part of their work. [one thread]
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace warpscope::cli {

struct RecordRequest {
  std::vector<std::string> words;  // program and arguments
  std::string folder;              // of the run; "": a name is made
  std::vector<std::pair<std::string, std::string>> tags;
};

struct RecordedRun {
  std::string folder;
  int exit_code = 0;
};

// The program's standard output goes to our standard error while it runs. Fails with the reason if the recorder's
// library is missing or the program cannot be started; the folder is gone then.
Result<RecordedRun> RecordOnce(const RecordRequest& request);

// One run whose launches of these kernels are measured by exact counters, the first two of each name and geometry.
// kUnsupported with the one next step where the driver does not let counters be read.
Result<RecordedRun> MeasureOnce(const RecordRequest& request, const std::vector<std::string>& kernels);

}  // namespace warpscope::cli
