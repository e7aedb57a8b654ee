// A rank's collectives: what of each is transfer and what is waiting, and the change that makes them cheaper.
// [MT] Pure functions.
#pragma once

#include <vector>

#include "analysis/collectives.h"
#include "rules/context.h"

namespace warpscope::rules {

struct CollectiveCost {
  uint32_t row;
  int64_t dur_ns, exposed_ns, transfer_ns;
};

// This rank's calls in the window; transfer: of the matched ranks, else the fastest call of the same kind and size.
std::vector<CollectiveCost> CollectiveCallsOf(const Context& context, const analysis::CollectiveSummary& summary);

// Hides `ratio` of the exposed transfer behind compute, and takes away `waiting_ratio` of the waiting.
analysis::WhatIf CheaperCollectives(const std::vector<CollectiveCost>& calls, double ratio, double waiting_ratio);

// Kernels that ran beside a collective which waited for another rank, as long as they are without: it spins on
// processors of the device all the while. A call waits first and transfers in its last part. How long a kernel is
// without comes from launches of the same name and grid with no communication beside them: of this rank, else of any.
analysis::WhatIf UnslowedKernels(const Context& context, const std::vector<CollectiveCost>& calls);

}  // namespace warpscope::rules
