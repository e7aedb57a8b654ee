// Why perf_event_open was refused, and what to change. [MT]
#pragma once

#include <string>

namespace warpscope::record::host {

// For errno: "perf_event_open was refused (...); kernel.perf_event_paranoid is 4, set it to 2: ...".
std::string PerfRefusal(int error);

}  // namespace warpscope::record::host
