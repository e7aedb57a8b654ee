// Whether sampled counters may be believed: what one of them says must be possible beside the others of the same
// sample. Seen on an H200 (CUPTI 13.0.1): tpc__warps_active_shader_cs_realtime, which older recordings carry, is the
// distance from the level at which sampling was configured, so that an idle device has 75 or 100 % of its warps active,
// and kernels of that level have none. sm__warps_active is not. [MT] Pure, but for the trace that is given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/trace.h"

namespace warpscope::import::capture {

// A metric of a device that was left out.
struct ImpossibleCounter {
  std::string sentence;
  bool has_other;  // another metric of the device tells occupancy in other windows
};

// Takes the values of active warps out of these windows (rows of Trace::counter_windows, of one process) for each
// device and metric where too many samples of one configuration (windows of one set in a row) are impossible: more
// warps than active SMs can have, or less than one on each active SM.
std::vector<ImpossibleCounter> LeaveImpossibleOut(const std::vector<uint32_t>& windows, model::Trace* trace);

// lts__average_t_sector_hit_rate_realtime tells half of the L2's hits on GH100 (CUPTI 13.0.1): of 1,648 samples of two
// programs none is above 50.00 %, an idle device has exactly that, and a kernel with 90 % by replay has 45.7. Doubles it
// where a device's samples end at 50 %, and leaves it out where they do not reach that, which tells no scale.
void ScaleL2Hits(const std::vector<uint32_t>& windows, model::Trace* trace);

}  // namespace warpscope::import::capture
