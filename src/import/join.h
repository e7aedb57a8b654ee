// Several files of one recording become one run.
// [one thread]; before Trace::Finish().
#pragma once

#include "model/trace.h"

namespace warpscope::import {

// Sources with equal Source::part_of are one recording. Of those that tell the same events (Source::representation
// differs) only the one with most timeline rows keeps its rows (ledger: repeated_view). What stays shares processes (by
// pid; an unknown pid, -1, is that of the only known one), threads, devices (likewise) and streams, so that ids match
// across the files.
void JoinParts(model::Trace* trace);

}  // namespace warpscope::import
