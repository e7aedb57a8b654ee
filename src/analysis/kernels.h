// Kernels by name (or by name and launch geometry): time, launch configuration, theoretical occupancy, class.
// [MT] Pure functions. Kernels that start in the window count whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/index.h"
#include "analysis/occupancy.h"
#include "analysis/window.h"

namespace warpscope::analysis {

struct KernelRow {
  model::StringId name = model::kNoString;
  std::string short_name;
  KernelClass kernel_class;
  uint64_t count = 0;
  int64_t total_ns = 0, min_ns = 0, max_ns = 0;
  double mean_ns = 0, median_ns = 0, stddev_ns = 0;  // stddev: population
  double share_of_kernels_pct = 0;                   // of the sum of all kernel time in scope
  std::optional<double> share_of_busy_pct;           // of the devices' busy union
  std::optional<double> share_of_window_pct;         // of the window's length (all devices)
  uint32_t first_row = 0;                            // gpu row of the first one, longest_row of the longest
  uint32_t longest_row = 0;
  // The geometry that takes most of its time; absent if none was recorded.
  std::optional<model::LaunchConfig> config;
  uint32_t config_count = 0;                     // distinct geometries
  double config_share_pct = 0;                   // time share of `config` within this row
  std::optional<Occupancy> occupancy;            // of `config`; absent if the device or registers are unknown
  std::optional<double> waves_per_sm;            // blocks / (SMs x resident blocks an SM)
  std::optional<double> tail_efficiency_ratio;   // waves / ceil(waves): 1 = no partly filled last wave
  std::optional<double> recorded_occupancy_pct;  // time-weighted mean of the recorder's own estimate
};

struct KernelOptions {
  bool by_geometry = false;  // one row per name and launch configuration
};

// Most total time first, then by name text, then by geometry.
std::vector<KernelRow> SummarizeKernels(const Index& index, const Scope& scope = {}, const KernelOptions& options = {});

// The same by category (gemm, attention ...): only counts, totals and shares are filled. Most time first.
struct KernelCategoryRow {
  KernelCategory category = KernelCategory::kOther;
  uint64_t count = 0;
  int64_t total_ns = 0;
  double share_of_kernels_pct = 0;
};
std::vector<KernelCategoryRow> SummarizeKernelCategories(const Index& index, const Scope& scope = {});

// Waves of one launch on a device: absent without SM count or geometry.
struct Waves {
  uint64_t blocks = 0;
  double waves = 0;
  double tail_efficiency_ratio = 0;
  Occupancy occupancy;
};
std::optional<Waves> LaunchWaves(const model::Device& device, const model::LaunchConfig& config);

// Sequences of kernels that follow each other on a stream over and over (candidates for fusion or a graph).
struct KernelSequence {
  std::vector<model::StringId> names;
  uint64_t count = 0;
  int64_t total_ns = 0;  // device time in all of them
  int64_t idle_ns = 0;   // gaps inside them
};
std::vector<KernelSequence> FrequentKernelSequences(const Index& index, const Scope& scope, uint32_t length,
                                                    size_t max_rows = 20);

}  // namespace warpscope::analysis
