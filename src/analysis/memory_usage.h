// Device memory over time from the recorder's allocator events; growth from step to step; allocator churn.
// [MT] Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/index.h"
#include "analysis/steps.h"
#include "analysis/window.h"

namespace warpscope::analysis {

struct MemoryPoint {
  int64_t time_ns;
  int64_t allocated_bytes;
  std::optional<int64_t> reserved_bytes;
};

enum class GrowthShape : uint8_t {
  kUnknown,   // too few steps to tell, or no shape stands out
  kFlat,      // level, wobbling about one level, or falling
  kRamp,      // grows every step: a leak
  kPlateau,   // grew, then levelled off
  kSawTooth,  // grows and falls back
};

// Judged on one level per step (the lowest allocated level in the step: what survives it).
struct Growth {
  GrowthShape shape = GrowthShape::kUnknown;
  double bytes_per_step = 0;                               // Theil-Sen slope over the counted steps
  double low_bytes_per_step = 0, high_bytes_per_step = 0;  // 95 % interval of the slope
  double rising_ratio = 0;                                 // share of steps that ended higher than the one before
  std::optional<double> steps_to_full;                     // free device memory / slope, for a ramp
};
// The test itself, for other sources of levels.
Growth JudgeGrowth(const std::vector<double>& level_bytes);

struct DeviceMemory {
  uint32_t device = model::kNone;  // row of devices; kNone = host memory
  uint64_t events = 0, allocations = 0, frees = 0;
  int64_t allocated_bytes_total = 0;  // sum of all allocations
  std::optional<int64_t>
      peak_allocated_bytes;  // absolute where the recorder gives totals, else above the window's start
  std::optional<int64_t> peak_reserved_bytes;
  int64_t peak_time_ns = 0;
  std::optional<int64_t> start_allocated_bytes, end_allocated_bytes;  // absolute or relative, as the peak
  bool absolute = false;                                              // totals were recorded
  // reserved - allocated at the moment of the allocated peak, and its share of reserved.
  std::optional<int64_t> unused_reserved_bytes;
  std::optional<double> unused_reserved_pct;
  std::vector<double> level_per_step_bytes;  // lowest allocated level within each counted step
  std::vector<double> peak_per_step_bytes;
  Growth growth;
};

struct AllocatorChurn {  // calls of the driver's allocator, not the framework's cache
  uint64_t alloc_calls = 0, free_calls = 0, host_alloc_calls = 0;
  int64_t alloc_ns = 0, free_ns = 0, host_alloc_ns = 0;
  std::optional<double> calls_per_step;  // alloc + free
  uint64_t steps_with_calls = 0;
  uint32_t first_row = model::kNone;  // host row
};

struct MemoryUsage {
  std::vector<DeviceMemory> devices;  // used ones in row order, host last; empty if there are no memory events
  AllocatorChurn churn;
};

MemoryUsage SummarizeMemory(const Index& index, const Scope& scope = {}, const Steps* steps = nullptr);

// Levels over time, at every change, thinned to max_points (peaks kept).
std::vector<MemoryPoint> MemoryTimeline(const Index& index, uint32_t device, const Scope& scope = {},
                                        size_t max_points = 100000);

}  // namespace warpscope::analysis
