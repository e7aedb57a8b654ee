// The table of `warpscope whatif`. [MT] Pure function.
#pragma once

#include "rules/whatif/what_if.h"
#include "view/table.h"

namespace warpscope::view {

// One row a change, then all together. Durations in ns a step.
Table WhatIfTable(const rules::WhatIfReport& report);

}  // namespace warpscope::view
