// Numbers: the pids and tids that a trace's processes and threads get in a chrome trace, where two rows must never
// share one. A pid or tid that the trace knows stays. [one thread] to build, [MT] for reads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/trace.h"

namespace warpscope::exporting::chrome {

class Numbers {
 public:
  explicit Numbers(const model::Trace& trace);

  int64_t Pid(uint32_t process) const { return pids_[process]; }
  int64_t Tid(uint32_t thread) const { return tids_[thread]; }
  // Set if the trace has several name spaces of correlation ids: then every event says which it belongs to.
  std::optional<int64_t> RankOfProcess(uint32_t process) const {
    return several_ ? std::optional<int64_t>(ranks_[trace_.processes[process].link_domain]) : std::nullopt;
  }
  std::optional<int64_t> RankOfStream(uint32_t stream) const {
    return several_ ? std::optional<int64_t>(ranks_[trace_.streams[stream].link_domain]) : std::nullopt;
  }

 private:
  const model::Trace& trace_;
  std::vector<int64_t> pids_, tids_;
  std::vector<int64_t> ranks_;  // by link domain
  bool several_ = false;
};

}  // namespace warpscope::exporting::chrome
