// What the three causes of low occupancy share. [MT] Pure function.
#pragma once

#include "rules/measurements/kernel/cause.h"

namespace warpscope::rules {

// The resource that lets the fewest blocks onto an SM.
enum class Resource : uint8_t { kRegisters, kShared, kBlocks };

// Fires if `resource` alone keeps warps away, and more warps would help: nothing is near its roof, schedulers starve,
// and warps wait for latency. Low occupancy alone is no cause.
KernelOutcome JudgeOccupancy(const KernelCase& kernel, Resource resource);

}  // namespace warpscope::rules
