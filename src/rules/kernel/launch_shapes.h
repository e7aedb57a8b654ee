// LaunchShapes: kernels by name and launch geometry with their waves and occupancy; what the rules on grids, waves and
// occupancy share. Owns which kernels are open to such advice. [MT] Pure functions.
#pragma once

#include <vector>

#include "analysis/kernels.h"
#include "rules/kernel/device_work.h"

namespace warpscope::rules {

struct LaunchShape {
  model::StringId name = model::kNoString;
  uint32_t config = model::kNone;  // row of launch_configs
  std::vector<uint32_t> rows;
  int64_t total_ns = 0;
  analysis::Waves waves;
  bool library = false;  // a vendor's product, convolution or attention kernel: not the user's to tune
  int64_t mean_ns() const { return rows.empty() ? 0 : total_ns / static_cast<int64_t>(rows.size()); }
};

// Kernels of the main device that take at least `min_share_pct` of the step in one geometry and `min_mean_ns` each,
// communication aside, and those whose counters tell about the cause `id` themselves; most time first. Empty if the
// device's limits are unknown.
std::vector<LaunchShape> NotableShapes(const Context& c, double min_share_pct, int64_t min_mean_ns,
                                       std::string_view id);

// Whether recorded operand sizes show that the kernel already moves memory near the usable bandwidth.
bool NearBandwidth(const Context& c, const LaunchShape& shape, double of_usable);

// "grid 133 x 1 x 1, block 512 x 1 x 1".
std::string GeometryText(const model::LaunchConfig& config);
// "ncu --kernel-name ... " for that kernel.
std::string CountersCommand(const Context& c, uint32_t gpu_row);

}  // namespace warpscope::rules
