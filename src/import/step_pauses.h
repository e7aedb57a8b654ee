// Step pauses: torch.profiler marks every step from the end of the one before, so marks that stand apart with nothing
// recorded between them are two windows of a schedule, and the time between is no step.
// [one thread]
#pragma once

namespace warpscope::model {
struct Trace;
}

namespace warpscope::import {

// Adds to Trace::pauses the longest stretch between two step marks of a thread (ProfilerStep#N) whose numbers do not
// follow each other, in which no row of its process begins or device row runs, if it is longer than two usual steps. To
// be called before CutBreaks().
void AddStepPauses(model::Trace* trace);

}  // namespace warpscope::import
