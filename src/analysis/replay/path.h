// The critical path of a replay: from the last device item backwards over the constraint that decided each item.
// [MT] Pure.
#pragma once

#include <vector>

#include "analysis/replay/build.h"
#include "analysis/replay/simulator.h"

namespace warpscope::analysis::replay {

std::vector<Simulator::PathItem> CriticalPathOf(const Model& model, const Weights& weights);

}  // namespace warpscope::analysis::replay
