// Which kernel the sampled counters of a device belong to (model/sampled_counters.h).
//
// A sample is the mean of a metric over some microseconds, in which several kernels may have run. Kernels of one name
// and geometry are taken to behave alike; then the samples are linear equations: a sample's value is the sum over the
// groups of kernels of (share of the sample that the group ran) x (value of the group), plus the idle level for the
// rest. They are solved by weighted least squares with values kept within 0 and 100 % (attribution_solve.h). A group
// that fills whole samples is simply their mean. The weight of a sample is one over the share in which something ran,
// which makes the solution keep totals: of a kernel alone on the device it is the sum of all values over the sum of all
// shares. Error bars are two standard errors, the larger one of those from the residual's variance and of those from
// blocks of neighbouring samples, which deviate together. Samples in which kernels overlap each other are left out,
// since what each of them does then is not what it does alone; copies beside kernels only add. [MT] Pure. Time: samples
// x kernels per sample + metrics x groups^2 x iterations.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/sampled_metrics.h"
#include "model/trace.h"

namespace warpscope::analysis {

using Sampled = model::SampledQuantity;
constexpr size_t kSampledCount = model::kSampledQuantities;

struct SampledValue {
  double pct = 0;        // 0-100
  double error_pct = 0;  // two standard errors, in points
};

enum class Attribution : uint8_t {
  kDirect,      // it fills most of its samples alone
  kSolved,      // from samples that it shares
  kUnmet,       // no sample saw it
  kFew,         // too few did
  kConcurrent,  // it runs beside other kernels
  kTogether,    // always with the same neighbours in the same shares: nothing tells them apart
  kUncertain,   // error bars beyond kMostErrorPct
};
// "direct", "solved", "not sampled" ...
std::string_view AttributionText(Attribution how);

struct AttributedKernel {
  // Kernels of one name, grid and block; `config` is one of their launch_configs, kNone: no geometry was recorded.
  model::StringId name = model::kNoString;
  uint32_t config = model::kNone;
  uint64_t launches = 0;
  int64_t total_ns = 0;
  double share_pct = 0;  // of the time of all kernels
  double samples = 0;    // that it ran in, by the share of each that it ran
  Attribution how = Attribution::kUnmet;
  std::array<std::optional<SampledValue>, kSampledCount> values;  // absent: not sampled, or abstained

  std::optional<SampledValue> operator[](Sampled quantity) const { return values[static_cast<size_t>(quantity)]; }
  bool is_known() const { return how == Attribution::kDirect || how == Attribution::kSolved; }
  // Of the warps that fit while the SM was active; absent unless both are known and it was active, and where their
  // errors together leave more than kMostErrorPct open.
  std::optional<double> OccupancyPct() const;
  // While the SM was active.
  std::optional<double> PerActivePct(Sampled quantity) const;
};

struct CounterAttribution {
  std::vector<AttributedKernel> kernels;  // most time first, then by name and geometry
  uint64_t windows = 0, samples = 0;
  uint64_t concurrent_samples = 0;  // left out
  int64_t sampled_ns = 0;           // inside samples
  double known_share_pct = 0;       // of kernel time, whose group has values
  bool empty() const { return samples == 0; }
};

constexpr double kMostErrorPct = 10;

// Without sampled counters: empty.
CounterAttribution AttributeCounters(const model::Trace& trace);

}  // namespace warpscope::analysis
