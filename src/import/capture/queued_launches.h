// QueuedLaunches: launch calls that no record tells, rebuilt from what their kernels tell: when each was queued, and
// when the device took it. [one thread]
// Measured (CUPTI 13.0, H200): the first is a moment inside the call; the second is no end of the call but lies about
// half a microsecond before the kernel's start, so on a busy device long after the call has returned. On an idle device
// the two lie 3.2 to 3.6 us apart, about the length of a call: that is taken for all, cut where the next call begins.
#pragma once

#include <cstdint>
#include <vector>

#include "import/capture/decoder_state.h"

namespace warpscope::import::capture {

class QueuedLaunches {
 public:
  struct Launch {
    uint64_t correlation;
    int64_t queued_ns, taken_ns;  // by the host, by the device
    int64_t kernel_end_ns;
  };
  void Add(const Launch& launch) { launches_.push_back(launch); }
  // Rows for those without a recorded call. Which thread it was is told by the recorded calls of the same process that
  // issue work, the nearest in time.
  void Finish(State& state);

 private:
  std::vector<Launch> launches_;
};

}  // namespace warpscope::import::capture
