// Sampled rows meet exact ones: the edges of frames and waits that were sampled from outside are off by up to
// half a period, the calls and ranges that the agent recorded inside the process are exact. [one thread]; before
// JoinParts() and Trace::Finish().
#pragma once

#include "model/trace.h"

namespace warpscope::import::capture {

// Rows from outside (of sources with Source::sample_period_ns) are cut to the time in which the agents of their
// recording (Source::part_of) recorded: a window of a long run stays one, and a program's start-up does not count as
// its work. Then edges of the sampled ones (period > 0) are moved so that no sampled row crosses an exact call or wait
// of its thread: a wait seen inside a call ends with the call, a frame never begins or ends inside one and reaches no
// further than the calls around its first and its last sample. Where a row reaches over the edge of a range (NVTX) that
// it lies in, it is cut there. Moving keeps the order of edges, so frames stay nested. A row that nothing is left of
// lasts 0.
// REQUIRES: sampled frames carry the times of their first and last sample in `correlation` and `external_id`;
// these are taken away.
void SettleSampledRows(model::Trace* trace);

}  // namespace warpscope::import::capture
