// `convert --partition`: one run of a tree of Parquet files for cluster engines; see docs/scale.md.
// [one thread]
#pragma once

#include <string>

#include "base/status.h"
#include "cli/args.h"
#include "cli/io.h"

namespace warpscope::cli {

// Writes every input file as its own partition run=NAME/host=.../rank=... of the tree that --output names, whose clocks
// stay as they were recorded: reading the tree puts them side by side again. Partitions of other runs are left alone.
Status WritePartitions(const Args& args, const std::string& run, Io& io);

}  // namespace warpscope::cli
