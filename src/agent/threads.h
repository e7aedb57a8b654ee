// The process' threads that are the application's: not CUDA's helpers, not ours.
// [MT] Reads /proc/self/task.
#pragma once

namespace warpscope::agent {

struct Threads {
  int count = 0;             // 0 if /proc cannot be read
  bool others_work = false;  // one beside the main thread has used more than a little CPU time
};
Threads LookAtThreads();

}  // namespace warpscope::agent
