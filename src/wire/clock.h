// The clock of the recording: nanoseconds of the epoch, as CUPTI stamps its records.
// [signal-safe]
#pragma once

#include <time.h>

#include <cstdint>

namespace warpscope::wire {

inline int64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

// CPU time of the calling thread.
inline int64_t ThreadCpuNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

}  // namespace warpscope::wire
