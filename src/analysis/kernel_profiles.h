// Profiled kernels by name and geometry: which took the measured time, and one launch that stands for each.
// [MT] Pure functions.
#pragma once

#include <optional>
#include <vector>

#include "model/trace.h"

namespace warpscope::analysis {

// Launches of one kernel in one geometry; their times are those under the counter tool, replayed and often at fixed
// clocks.
struct ProfileGroup {
  std::vector<uint32_t> profiles;   // rows of kernel_profiles, in recorded order
  uint32_t typical = 0;             // the one of median duration; the first if none was timed
  int64_t total_ns = 0;             // of those that were timed
  std::optional<double> share_pct;  // of the time of all profiles; absent if none was timed
};

enum class GroupBy : uint8_t { kName, kNameAndGeometry, kLaunch };

// Largest time first, then by first appearance.
std::vector<ProfileGroup> GroupProfiles(const model::Trace& trace, GroupBy by);

}  // namespace warpscope::analysis
