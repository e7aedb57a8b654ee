// The few constants of a trace that replace copied waits, as medians of its own unambiguous items.
// Defaults, used below kMinSamples: H200, driver 580, CUDA 13 under CUPTI tracing (docs/whatif.md gives the ranges).
// [MT] Values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/replay/calls.h"

namespace warpscope::analysis::replay {

inline constexpr uint32_t kMinSamples = 20;
inline constexpr uint32_t kQueueSlots = 1022;           // launches a CUDA stream holds before the next one blocks
inline constexpr int64_t kDefaultLaunchLagNs = 1800;    // end of the call -> start on an idle stream
inline constexpr int64_t kDefaultStreamGapNs = 1300;    // between two queued items of a stream
inline constexpr int64_t kDefaultGraphGapNs = 5400;     // between two graph launches
inline constexpr int64_t kDefaultReturnShortNs = 8000;  // end of the awaited work -> return of the call, waits < 1 ms
inline constexpr int64_t kDefaultReturnLongNs = 15000;  // the same, longer waits
inline constexpr int64_t kDefaultSyncCostNs = 3000;     // a synchronisation that finds nothing to wait for
inline constexpr int64_t kDefaultCopyIssueNs = 8000;    // start of a blocking copy call -> copy handed to the device
inline constexpr int64_t kLongWaitNs = 1'000'000;
inline constexpr int64_t kIdleMarginNs = 20'000;  // how clearly idle or queued a stream must be for a sample

enum class UnitKind : uint8_t { kKernel, kHostToDevice, kDeviceToHost, kOtherCopy, kMemset, kGraph, kCount };

struct Parameters {
  static constexpr int kKinds = static_cast<int>(UnitKind::kCount);
  int64_t launch_lag_ns[kKinds];
  int64_t stream_gap_ns[kKinds][kKinds];    // [previous][this]
  std::map<uint64_t, int64_t> pair_gap_ns;  // (name of previous << 32 | name): pairs seen queued often enough
  int64_t return_short_ns = kDefaultReturnShortNs;
  int64_t return_long_ns = kDefaultReturnLongNs;
  std::map<uint32_t, int64_t> call_cost_ns;  // by name id: median when nothing was waited for
  int64_t copy_issue_ns[kKinds];
  int64_t launch_call_p25_ns = 0;  // 0: no launch calls
  // Host speed: 1 = the machine of the constants (a launch call of 5 us under tracing).
  double host_speed = 1.0;
};

// Median by nth_element; `samples` is reordered. The lower one of two middles.
int64_t MedianOf(std::vector<int64_t>& samples);
int64_t QuantileOf(std::vector<int64_t>& samples, double ratio);
int64_t MedianOr(std::vector<int64_t>& samples, int64_t fallback, uint32_t min_samples = kMinSamples);

}  // namespace warpscope::analysis::replay
