// Several ranks on one time axis.
// [one thread]
#pragma once

#include "model/trace.h"

namespace warpscope::import {

// Checks that the sources of a trace can share one clock, before Trace::Finish(). Ranks with a base time, with epoch
// times, or with the boot clock of one machine, whose windows overlap the first one's are left as they are. Others are
// shifted so that their collectives end when the first rank's do (a collective ends everywhere at once); where that
// does not fit either, they keep their own clock (ledger: clock_skew).
void AlignClocks(model::Trace* trace);

}  // namespace warpscope::import
