// `warpscope counters -- PROGRAM`: runs it with its chosen launches measured, then shows what they say. [one thread]
#pragma once

#include "base/status.h"
#include "cli/args.h"
#include "cli/io.h"

namespace warpscope::cli {

// Leaves the program's exit code in `io`; standard output is the program's own.
Status MeasureCounters(const Args& args, Io& io);

}  // namespace warpscope::cli
