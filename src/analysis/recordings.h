// Recordings: which of the files that were read together belong to one run. A folder may hold the ranks of a run, or
// runs that have nothing to do with each other, and a verdict on one of these must not pass for one on all. [MT] Pure
// functions.
#pragma once

#include <string>
#include <vector>

#include "analysis/index.h"

namespace warpscope::analysis {

// Where the rank was recorded: the run folder of `warpscope record`, the first of the files that are one recording, the
// archive, or the file.
std::string RecordingOf(const Index& index, const Rank& rank);

// The recordings with device work, in the order of their ranks, if there are several and nothing says that they are of
// one run: some have no rank number, or numbers repeat. Empty otherwise.
std::vector<std::string> UnrelatedRecordings(const Index& index);

}  // namespace warpscope::analysis
