// A run folder -> rows of a Trace.
// [one thread]; reads with several.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "model/trace.h"
#include "store/run_place.h"

namespace warpscope::store {

struct ReadOptions {
  unsigned threads = 0;  // 0 = as many as the machine has
  bool keep_finish =
      true;  // take over the order and links that the run was written with, so that the trace is finished
};

// Appends a run to `trace`. With keep_finish and a trace that was empty the trace is finished afterwards
// (model::IsFinished()) if the run's rows are in order; else Trace::Finish() is still to be called. Files are foreign
// bytes: whatever is wrong with them is kCorrupt with the file, row and column, and then rows may have been appended
// that the caller takes back.
Status ReadRun(const RunPlace& place, const ReadOptions& options, model::Trace* trace);

}  // namespace warpscope::store
