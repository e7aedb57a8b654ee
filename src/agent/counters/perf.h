// perf: CUPTI's profiling interfaces (src/cupti), beside its activity interfaces, which are agent::cupti. [MT] A name.
#pragma once

#include "cupti/profiler_abi.h"

namespace warpscope::agent {

namespace perf = ::warpscope::cupti;

}  // namespace warpscope::agent
