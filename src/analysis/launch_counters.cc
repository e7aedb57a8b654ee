#include "analysis/launch_counters.h"

#include "analysis/occupancy.h"

namespace warpscope::analysis {
namespace {

void Set(KernelCounters* counters, Counter counter, double value) {
  auto& slot = counters->values[static_cast<size_t>(counter)];
  if (!slot) slot = value;
}

}  // namespace

void FillFromLaunch(const model::Trace& trace, const model::KernelProfile& profile, KernelCounters* counters) {
  const model::Device* device = profile.device == model::kNone ? nullptr : &trace.devices[profile.device];
  if (device != nullptr && device->sm_count) Set(counters, Counter::kSmCount, *device->sm_count);
  if (device != nullptr && device->cc_major) Set(counters, Counter::kComputeMajor, *device->cc_major);
  if (device != nullptr && device->cc_minor) Set(counters, Counter::kComputeMinor, *device->cc_minor);
  if (profile.config == model::kNone) return;
  const model::LaunchConfig& config = trace.launch_configs[profile.config];
  const double blocks = double{1} * config.grid[0] * config.grid[1] * config.grid[2];
  const uint64_t threads = uint64_t{config.block[0]} * config.block[1] * config.block[2];
  if (blocks > 0) Set(counters, Counter::kGridSize, blocks);
  if (threads > 0) Set(counters, Counter::kBlockSize, static_cast<double>(threads));
  if (config.registers_per_thread) Set(counters, Counter::kRegisters, *config.registers_per_thread);
  if (device == nullptr || !config.registers_per_thread || !config.shared_bytes) return;
  const auto limits = LimitsOf(*device);
  if (!limits || threads == 0 || threads > limits->max_threads_per_block) return;
  const Occupancy occupancy =
      ComputeOccupancy(*limits, {static_cast<uint32_t>(threads), *config.registers_per_thread, *config.shared_bytes});
  if (occupancy.active_blocks_per_sm == 0) return;
  Set(counters, Counter::kTheoreticalOccupancyPct, occupancy.occupancy_pct);
  Set(counters, Counter::kLimitWarps, occupancy.blocks_by_warps);
  Set(counters, Counter::kLimitBlocks, occupancy.blocks_by_blocks);
  Set(counters, Counter::kLimitRegisters, occupancy.blocks_by_registers);
  Set(counters, Counter::kLimitShared, occupancy.blocks_by_shared);
  const auto sms = (*counters)[Counter::kSmCount];
  if (sms && *sms > 0) Set(counters, Counter::kWaves, blocks / (*sms * occupancy.active_blocks_per_sm));
}

}  // namespace warpscope::analysis
