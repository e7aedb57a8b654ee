// The shared body of occupancy_registers and occupancy_shared: kernels that keep few warps on a multiprocessor because
// each block takes much of one resource. [MT] Pure functions.
#pragma once

#include "rules/kernel/launch_shapes.h"
#include "rules/rule.h"

namespace warpscope::rules {

// Kernels of the user's own (no vendor products, which run well at low occupancy by design) that fill the device's grid
// and are held under a third of the warps by that resource alone.
std::vector<LaunchShape> LimitedShapes(const Context& c, analysis::Limiter limiter);

// Title, evidence and prediction; the rule adds its actions before. `resource`: "many registers".
Outcome ConcludeLimited(const Context& c, Finding finding, const std::vector<LaunchShape>& shapes,
                        analysis::Limiter limiter, std::string_view resource);

}  // namespace warpscope::rules
