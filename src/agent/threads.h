// How many of the process' threads are the application's: not CUDA's helpers, not ours.
// [MT] Reads /proc/self/task.
#pragma once

namespace warpscope::agent {

// 0 if /proc cannot be read.
int CountApplicationThreads();

}  // namespace warpscope::agent
