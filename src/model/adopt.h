// Taking over what Trace::Finish() found when a run was written, instead of finding it again.
// [one thread]
#pragma once

#include "model/trace.h"

namespace warpscope::model {

// For rows that come from a finished trace with parent and call filled in: checks in linear time that they are in
// Finish()'s order and that the links can be, and makes the row lists. False, with the trace unchanged, if not.
bool AdoptFinished(Trace* trace);

// Whether Finish() ran or its results were taken over. (Of a trace with threads; one without has nothing to link.)
inline bool IsFinished(const Trace& trace) { return !trace.thread_rows.empty(); }

}  // namespace warpscope::model
