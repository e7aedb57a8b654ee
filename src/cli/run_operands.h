// Which words of a command line are runs of their own: files that are ranks of one run are one run, as they are for
// `analyze`. [one thread]
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/args.h"
#include "cli/io.h"
#include "model/trace.h"

namespace warpscope::cli {

// Takes one run, and what it is called.
using TakeRun = std::function<Status(const model::Trace& trace, const std::string& label)>;

// Reads each run and hands it to `take`, in order; at most two are held at a time. Files that each say their rank are
// one run if no two say the same, and repeats of one rank if all say the same. kInvalidArgument where some ranks repeat
// and others do not: which file belongs to which run is not known then.
Status ForEachRun(const std::vector<std::string>& paths, const Args& args, Io& io, const TakeRun& take);

}  // namespace warpscope::cli
