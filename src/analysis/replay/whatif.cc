// WhatIf: the recording of wishes. See simulator.h.
#include <algorithm>
#include <utility>

#include "analysis/replay/simulator.h"

namespace warpscope::analysis {

void WhatIf::RemoveGpu(uint32_t gpu_row) { gpu_edits.push_back({gpu_row, Gpu::kRemove, 0}); }
void WhatIf::SetGpuDuration(uint32_t gpu_row, int64_t dur_ns) {
  gpu_edits.push_back({gpu_row, Gpu::kDuration, dur_ns});
}
void WhatIf::MoveToLane(uint32_t gpu_row, uint32_t lane) { gpu_edits.push_back({gpu_row, Gpu::kLane, lane}); }

void WhatIf::MergeLaunches(std::vector<uint32_t> gpu_rows, int64_t call_cost_ns, int64_t node_gap_ns,
                           std::optional<int64_t> fused_dur_ns) {
  merges.push_back({std::move(gpu_rows), call_cost_ns, node_gap_ns, fused_dur_ns});
}

void WhatIf::DropWait(uint32_t call_row) { call_edits.push_back({call_row, Call::kDropWait}); }
void WhatIf::RemoveCall(uint32_t call_row) { call_edits.push_back({call_row, Call::kRemove}); }

void WhatIf::ScaleHost(uint32_t thread, int64_t start_ns, int64_t end_ns, double ratio) {
  host_edits.push_back({thread, start_ns, end_ns, Host::kScale, ratio, 1});
}

void WhatIf::OffloadHost(uint32_t thread, int64_t start_ns, int64_t end_ns, uint32_t workers) {
  host_edits.push_back({thread, start_ns, end_ns, Host::kOffload, 0.0, workers});
}

void WhatIf::NormaliseHostSpeed(double share) { host_speed_share = std::max(host_speed_share, share); }

void WhatIf::Add(const WhatIf& other) {
  gpu_edits.insert(gpu_edits.end(), other.gpu_edits.begin(), other.gpu_edits.end());
  merges.insert(merges.end(), other.merges.begin(), other.merges.end());
  call_edits.insert(call_edits.end(), other.call_edits.begin(), other.call_edits.end());
  host_edits.insert(host_edits.end(), other.host_edits.begin(), other.host_edits.end());
  NormaliseHostSpeed(other.host_speed_share);
}

bool WhatIf::empty() const {
  return gpu_edits.empty() && merges.empty() && call_edits.empty() && host_edits.empty() && host_speed_share == 0;
}

}  // namespace warpscope::analysis
