// Which looks of a monitor were taken of a device while a recording ran.
// [MT] Pure functions.
#pragma once

#include <string>
#include <vector>

#include "analysis/readings.h"
#include "analysis/window.h"
#include "model/trace.h"

namespace warpscope::analysis {

struct MonitorMatch {
  const DeviceLog* log = nullptr;  // null: see `problem`
  std::vector<const Look*> looks;  // in the window, or all where times cannot be compared
  bool by_time = false;
  int64_t shift_ns =
      0;  // added to the log's times (whole quarters of an hour: monitors print local time without a zone)
  std::string problem;  // why nothing matched, in words
};

// `device`: row of Trace::devices that a timeline ran on; `window`: its time. A log of that
// very row (the recording's own samples) is the one; else devices meet by name and number, or are the only ones. Looks
// up to kSamplingNs outside the window count: a monitor's values are means of about a second.
inline constexpr int64_t kSamplingNs = 1'500'000'000;
MonitorMatch MatchMonitor(const model::Trace& trace, const std::vector<DeviceLog>& logs, uint32_t device,
                          Window window);

}  // namespace warpscope::analysis
