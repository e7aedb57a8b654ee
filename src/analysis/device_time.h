// Device busy and idle time by union of intervals; overlap of compute, copies and communication; concurrency.
// [MT] Pure functions. Every interval is clipped to the scope's window.
// Classes: communication = kernels named nccl*/rccl*; copy = copies; compute = all other kernels and whole-graph rows;
// memsets count as busy but as neither. busy = union of all; idle = window - busy, where the window of a scope without
// bounds runs from the first start to the last end of the device's rows.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/index.h"
#include "analysis/interval_set.h"
#include "analysis/window.h"

namespace warpscope::analysis {

struct StreamTime {
  uint32_t stream = 0;  // row of streams
  uint64_t rows = 0, kernels = 0, copies = 0, memsets = 0;
  int64_t busy_ns = 0;  // union on this stream
  int64_t sum_ns = 0;   // plain sum of durations (> busy if rows overlap)
  int64_t first_start_ns = 0, last_end_ns = 0;
};

struct DeviceTime {
  uint32_t device = 0;               // row of devices
  int64_t begin_ns = 0, end_ns = 0;  // the window that busy and idle refer to
  uint64_t kernels = 0, copies = 0, memsets = 0;
  int64_t busy_ns = 0, idle_ns = 0;
  int64_t compute_ns = 0, copy_ns = 0, communication_ns = 0, memset_ns = 0;  // unions of each class
  int64_t kernel_ns = 0;               // union of all kernels, communication included
  int64_t kernel_copy_overlap_ns = 0;  // copies while any kernel runs
  int64_t compute_copy_overlap_ns = 0;
  int64_t compute_communication_overlap_ns = 0;
  int64_t exposed_communication_ns = 0;  // communication while no compute runs
  int64_t exposed_copy_ns = 0;           // copies while no kernel runs
  // [k] = time with exactly k rows running (k = 0 is idle); the last cell holds "that many or more".
  std::vector<int64_t> concurrency_ns;
  std::vector<StreamTime> streams;  // busiest first, then by row
};

inline constexpr size_t kMaxConcurrency = 16;

// Used devices in row order. With a link domain given, only rows of that domain count.
std::vector<DeviceTime> DeviceTimes(const Index& index, const Scope& scope = {});

// The union itself, for callers that intersect it with something.
enum class GpuClass : uint8_t { kAny, kKernel, kCompute, kCopy, kMemset, kCommunication };
IntervalSet GpuIntervals(const Index& index, const Scope& scope, GpuClass gpu_class = GpuClass::kAny);

}  // namespace warpscope::analysis
