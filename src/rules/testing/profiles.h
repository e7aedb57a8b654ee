// Profiled kernels for tests of counter rules. Header-only; for tests. [one thread]
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/testing/trace_builder.h"

namespace warpscope::rules::testing {

using MetricValues = std::vector<std::pair<std::string, double>>;

// Adds one profiled launch to a trace that is being built.
inline void AddProfile(model::Trace& trace, std::string_view name, const model::LaunchConfig& config, int64_t dur_ns,
                       const MetricValues& metrics) {
  model::KernelProfile profile;
  profile.id = trace.kernel_profiles.size();
  profile.name = trace.strings.Intern(name);
  profile.config = static_cast<uint32_t>(trace.launch_configs.size());
  trace.launch_configs.push_back(config);
  profile.dur_ns = dur_ns;
  profile.metric_begin = static_cast<uint32_t>(trace.metrics.size());
  for (const auto& [metric, value] : metrics)
    trace.metrics.push_back({trace.strings.Intern(metric), model::kNoString, value});
  profile.metric_end = static_cast<uint32_t>(trace.metrics.size());
  trace.kernel_profiles.push_back(profile);
}

inline std::string StallMetric(std::string_view reason) {
  return "smsp__average_warps_issue_stalled_" + std::string(reason) + "_per_issue_active.ratio";
}

// Recorded values of real kernels of an H200, cut to what the causes read (tests of the rules use these shapes, with a
// flaw and without). Sources: the kernels of docs/formats/ncu.md's checks.
inline MetricValues BankConflictMetrics() {
  return {{"sm__throughput.avg.pct_of_peak_sustained_elapsed", 5.7},
          {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 99.6},
          {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 0.8},
          {"lts__throughput.avg.pct_of_peak_sustained_elapsed", 1.1},
          {"l1tex__throughput.avg.pct_of_peak_sustained_active", 99.7},
          {"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", 99.6},
          {"memory_l1_wavefronts_shared", 554188800},
          {"memory_l1_wavefronts_shared_ideal", 17842176},
          {"smsp__issue_active.avg.per_cycle_active", 0.06},
          {"smsp__thread_inst_executed_per_inst_executed.ratio", 32},
          {"sm__maximum_warps_per_active_cycle_pct", 100},
          {"launch__waves_per_multiprocessor", 16},
          {StallMetric("mio_throttle"), 118.7},
          {StallMetric("barrier"), 100.7},
          {StallMetric("short_scoreboard"), 35.3},
          {StallMetric("selected"), 1}};
}
inline MetricValues UncoalescedMetrics() {
  return {{"sm__throughput.avg.pct_of_peak_sustained_elapsed", 15.1},
          {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 91.9},
          {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 91.9},
          {"lts__throughput.avg.pct_of_peak_sustained_elapsed", 93.1},
          {"l1tex__throughput.avg.pct_of_peak_sustained_active", 15.9},
          {"memory_l2_theoretical_sectors_global", 37748736},
          {"memory_l2_theoretical_sectors_global_ideal", 8388608},
          {"smsp__issue_active.avg.per_cycle_active", 0.07},
          {"smsp__thread_inst_executed_per_inst_executed.ratio", 32},
          {"sm__maximum_warps_per_active_cycle_pct", 100},
          {"launch__waves_per_multiprocessor", 124},
          {StallMetric("long_scoreboard"), 171.2},
          {StallMetric("short_scoreboard"), 3.5},
          {StallMetric("wait"), 3.6},
          {StallMetric("selected"), 1}};
}
inline MetricValues DivergenceMetrics() {
  return {{"sm__throughput.avg.pct_of_peak_sustained_elapsed", 87.7},
          {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 0.04},
          {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 0.0004},
          {"smsp__issue_active.avg.per_cycle_active", 0.88},
          {"smsp__thread_inst_executed_per_inst_executed.ratio", 4},
          {"sm__maximum_warps_per_active_cycle_pct", 100},
          {"launch__waves_per_multiprocessor", 1.25},
          {StallMetric("not_selected"), 6},
          {StallMetric("math_pipe_throttle"), 2.2},
          {StallMetric("selected"), 1}};
}
inline MetricValues FewRegistersLeftMetrics() {
  return {{"sm__throughput.avg.pct_of_peak_sustained_elapsed", 2.6},
          {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 5.5},
          {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 1.4},
          {"lts__throughput.avg.pct_of_peak_sustained_elapsed", 5.5},
          {"smsp__issue_active.avg.per_cycle_active", 0.03},
          {"smsp__thread_inst_executed_per_inst_executed.ratio", 32},
          {"sm__maximum_warps_per_active_cycle_pct", 12.5},
          {"sm__warps_active.avg.pct_of_peak_sustained_active", 10.2},
          {"launch__occupancy_limit_registers", 1},
          {"launch__occupancy_limit_shared_mem", 8},
          {"launch__occupancy_limit_warps", 8},
          {"launch__occupancy_limit_blocks", 32},
          {"launch__registers_per_thread", 254},
          {"launch__waves_per_multiprocessor", 16},
          {StallMetric("long_scoreboard"), 57.8},
          {StallMetric("wait"), 1.2},
          {StallMetric("selected"), 1}};
}
// At the roof of the arithmetic pipes: nothing to fix.
inline MetricValues AtRoofMetrics() {
  return {{"sm__throughput.avg.pct_of_peak_sustained_elapsed", 99.8},
          {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 0.2},
          {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 0.1},
          {"lts__throughput.avg.pct_of_peak_sustained_elapsed", 0.5},
          {"l1tex__throughput.avg.pct_of_peak_sustained_active", 0.1},
          {"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", 0.05},
          {"memory_l1_wavefronts_shared", 0},
          {"memory_l1_wavefronts_shared_ideal", 0},
          {"memory_l2_theoretical_sectors_global", 540672},
          {"memory_l2_theoretical_sectors_global_ideal", 540672},
          {"smsp__issue_active.avg.per_cycle_active", 1},
          {"smsp__thread_inst_executed_per_inst_executed.ratio", 32},
          {"sm__maximum_warps_per_active_cycle_pct", 50},
          {"sm__warps_active.avg.pct_of_peak_sustained_active", 45},
          {"launch__occupancy_limit_registers", 4},
          {"launch__occupancy_limit_shared_mem", 16},
          {"launch__occupancy_limit_warps", 8},
          {"launch__occupancy_limit_blocks", 16},
          {"derived__local_spilling_requests", 0},
          {"launch__waves_per_multiprocessor", 1.25},
          {"sm__cycles_active.avg", 4309235},
          {"sm__cycles_active.max", 4342996},
          {"sm__cycles_elapsed.max", 4346513},
          {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", 97.5},
          {StallMetric("not_selected"), 13.3},
          {StallMetric("selected"), 1}};
}
inline MetricValues SmallGridMetrics() {
  return {{"sm__throughput.avg.pct_of_peak_sustained_elapsed", 1.2},
          {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 0.05},
          {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 0.002},
          {"smsp__issue_active.avg.per_cycle_active", 0.8},
          {"launch__waves_per_multiprocessor", 0.001},
          {"launch__grid_size", 4},
          {"launch__sm_count", 132},
          {"sm__cycles_active.avg", 3205},
          {"sm__cycles_active.max", 105787},
          {"sm__cycles_elapsed.max", 108934},
          {StallMetric("wait"), 0.2},
          {StallMetric("selected"), 1}};
}
inline MetricValues WaitingMetrics() {
  return {{"sm__throughput.avg.pct_of_peak_sustained_elapsed", 20},
          {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 30},
          {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 30},
          {"smsp__issue_active.avg.per_cycle_active", 0.2},
          {"memory_l2_theoretical_sectors_global", 100},
          {"memory_l2_theoretical_sectors_global_ideal", 100},
          {"sm__maximum_warps_per_active_cycle_pct", 100},
          {"launch__waves_per_multiprocessor", 20},
          {StallMetric("long_scoreboard"), 30},
          {StallMetric("wait"), 3},
          {StallMetric("selected"), 1}};
}

inline MetricValues With(MetricValues metrics, std::string_view name, double value) {
  for (auto& [metric, old] : metrics) {
    if (metric == name) {
      old = value;
      return metrics;
    }
  }
  metrics.emplace_back(name, value);
  return metrics;
}
inline MetricValues Without(MetricValues metrics, std::string_view name) {
  std::erase_if(metrics, [&](const auto& item) { return item.first == name; });
  return metrics;
}

}  // namespace warpscope::rules::testing
