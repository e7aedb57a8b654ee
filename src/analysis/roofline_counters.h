// Rates and roofs of one profiled kernel from its metrics, whatever tool collected them. [MT] after construction; holds
// a reference to the trace.
#pragma once

#include <vector>

#include "analysis/roofline.h"
#include "model/trace.h"

namespace warpscope::analysis {

class RateReader {
 public:
  explicit RateReader(const model::Trace& trace);
  Rates Read(const model::KernelProfile& profile) const;

 private:
  const model::Trace& trace_;
  std::vector<Rates> device_roofs_;  // by row of devices
};

// Fills roofs that `rates` lacks from readings of the device (a measured roofline) and from gpu_peaks.h.
void FillRoofs(const model::Trace& trace, uint32_t device, Rates* rates);

}  // namespace warpscope::analysis
