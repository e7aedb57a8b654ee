// The start of an input pipeline that holds up one step of a loop: its workers begin anew, as at each epoch's begin.
// [MT] Pure function.
#pragma once

#include "rules/context.h"

namespace warpscope::rules {

// The one counted step that holds most of the loading, if few others have any: workers that start anew, not a loader
// that is too slow. Null otherwise, and with fewer than four steps.
const analysis::Step* LoaderStart(const Context& context);

}  // namespace warpscope::rules
