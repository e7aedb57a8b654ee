// What each step is made of, and why an outlier is one.
// [MT] Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/gaps.h"
#include "analysis/index.h"
#include "analysis/steps.h"

namespace warpscope::analysis {

struct StepProfile {
  uint32_t step = 0;   // row of Steps::steps
  int64_t dur_ns = 0;  // device anchored, as in Steps::durations_ms; host window where there is no device work
  int64_t device_begin_ns = 0, device_end_ns = 0;  // from the previous step's last item to its own last item
  int64_t busy_ns = 0, idle_ns = 0;                // of the device window
  int64_t communication_ns = 0, copy_ns = 0;
  int64_t sync_ns = 0;        // host time in blocking calls
  int64_t allocation_ns = 0;  // host time in driver allocator calls
  uint64_t launches = 0, kernels = 0, copies = 0, syncs = 0, allocations = 0;
  std::array<int64_t, kGapCauses> idle_by_cause_ns{};
};

// In step order, warm-up steps included.
std::vector<StepProfile> ProfileSteps(const Index& index, const Steps& steps, const GapSummary* gaps = nullptr);

// One kind of time (or count) that an outlier has more of than the median step.
struct StepExcess {
  std::string what;             // "idle: data loading", "device busy", "launches"
  double value = 0, usual = 0;  // ms, or a count
  bool is_count = false;
  double explains_pct = 0;  // of the step's excess duration; 0 for counts
};
struct OutlierStep {
  uint32_t step = 0;
  double dur_ms = 0, usual_ms = 0;
  double robust_z = 0;             // (duration - median) / (1.4826 x MAD)
  std::vector<StepExcess> excess;  // most explaining first
};
std::vector<OutlierStep> ExplainOutliers(const Index& index, const Steps& steps,
                                         const std::vector<StepProfile>& profiles);

// Period, in steps, at which slow steps return (a stall every num_workers steps); absent if there is none.
std::optional<uint32_t> SlowStepPeriod(const Steps& steps);

}  // namespace warpscope::analysis
