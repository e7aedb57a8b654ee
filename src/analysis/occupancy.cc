#include "analysis/occupancy.h"

#include <algorithm>

namespace warpscope::analysis {
namespace {

uint32_t DivideUp(uint32_t value, uint32_t unit) { return unit == 0 ? value : value / unit + (value % unit != 0); }
uint32_t RoundUp(uint32_t value, uint32_t unit) { return DivideUp(value, unit) * unit; }

constexpr uint32_t kUnlimited = UINT32_MAX;

// `per_warp`: registers a warp takes. Each warp lies inside one of the SM's sub-partitions.
uint32_t BlocksByWarpRegisters(const SmLimits& limits, uint32_t per_warp, uint32_t warps, uint32_t partitions) {
  // The hardware checks a launch as if the block took the same share of every sub-partition.
  if (uint64_t{per_warp} * RoundUp(warps, partitions) > limits.registers_per_block) return 0;
  return limits.registers_per_sm / partitions / per_warp * partitions / warps;
}

uint32_t BlocksByRegisters(const SmLimits& limits, const BlockShape& shape, uint32_t warps, Occupancy* out) {
  if (shape.registers_per_thread == 0) return kUnlimited;
  if (shape.registers_per_thread > limits.max_registers_per_thread + 1) return 0;
  const uint32_t per_warp = RoundUp(shape.registers_per_thread * limits.warp_size, limits.register_unit);
  out->registers_per_block = per_warp * warps;
  const uint32_t blocks = BlocksByWarpRegisters(limits, per_warp, warps, limits.warp_granularity);
  // 6.0 has two sub-partitions where 6.1 has four, but the driver refuses there what 6.1 could not run.
  const bool pascal = limits.cc_major == 6 && limits.cc_minor == 0;
  return pascal && BlocksByWarpRegisters(limits, per_warp, warps, 4) == 0 ? 0 : blocks;
}

uint32_t BlocksByShared(const SmLimits& limits, const BlockShape& shape, Occupancy* out) {
  const uint64_t wanted = uint64_t{shape.shared_bytes} + limits.shared_reserved_bytes;
  const uint64_t most = std::max(limits.shared_bytes_per_block, limits.shared_bytes_per_block_optin);
  if (shape.shared_bytes > most) return 0;
  out->shared_bytes_per_block = RoundUp(static_cast<uint32_t>(wanted), limits.shared_unit_bytes);
  return out->shared_bytes_per_block == 0 ? kUnlimited : limits.shared_bytes_per_sm / out->shared_bytes_per_block;
}

bool Better(const Occupancy& a, const Occupancy& b) { return a.active_warps_per_sm > b.active_warps_per_sm; }

void LiftByRegisters(const SmLimits& limits, const BlockShape& shape, const Occupancy& now, size_t max_steps,
                     std::vector<OccupancyStep>* out) {
  Occupancy best = now;
  BlockShape less = shape;
  for (size_t steps = 0; steps < max_steps && less.registers_per_thread > 16;) {
    --less.registers_per_thread;
    const Occupancy occupancy = ComputeOccupancy(limits, less);
    if (!Better(occupancy, best)) continue;
    best = occupancy;
    out->push_back({OccupancyStep::kRegisters, less, occupancy});
    ++steps;
  }
}

void LiftByShared(const SmLimits& limits, const BlockShape& shape, const Occupancy& now, size_t max_steps,
                  std::vector<OccupancyStep>* out) {
  Occupancy best = now;
  size_t steps = 0;
  for (uint32_t blocks = now.active_blocks_per_sm + 1; blocks <= limits.max_blocks_per_sm && steps < max_steps;
       ++blocks) {
    const uint32_t allocation =
        limits.shared_bytes_per_sm / blocks / limits.shared_unit_bytes * limits.shared_unit_bytes;
    if (allocation < limits.shared_reserved_bytes) break;
    BlockShape less = shape;
    less.shared_bytes = std::min(allocation - limits.shared_reserved_bytes,
                                 std::max(limits.shared_bytes_per_block, limits.shared_bytes_per_block_optin));
    if (less.shared_bytes >= shape.shared_bytes) continue;
    const Occupancy occupancy = ComputeOccupancy(limits, less);
    if (!Better(occupancy, best)) continue;
    best = occupancy;
    out->push_back({OccupancyStep::kShared, less, occupancy});
    ++steps;
  }
}

void LiftByBlockSize(const SmLimits& limits, const BlockShape& shape, const Occupancy& now, size_t max_steps,
                     std::vector<OccupancyStep>* out) {
  std::vector<OccupancyStep> found;
  for (uint32_t threads = limits.warp_size; threads <= limits.max_threads_per_block; threads += limits.warp_size) {
    if (threads == shape.threads) continue;
    BlockShape other = shape;
    other.threads = threads;
    const Occupancy occupancy = ComputeOccupancy(limits, other);
    if (Better(occupancy, now)) found.push_back({OccupancyStep::kBlockSize, other, occupancy});
  }
  const auto distance = [&](const OccupancyStep& step) {
    return step.shape.threads > shape.threads ? step.shape.threads - shape.threads : shape.threads - step.shape.threads;
  };
  std::stable_sort(found.begin(), found.end(), [&](const OccupancyStep& a, const OccupancyStep& b) {
    if (a.occupancy.active_warps_per_sm != b.occupancy.active_warps_per_sm) return Better(a.occupancy, b.occupancy);
    return distance(a) < distance(b);
  });
  if (found.size() > max_steps) found.resize(max_steps);
  out->insert(out->end(), found.begin(), found.end());
}

}  // namespace

Occupancy ComputeOccupancy(const SmLimits& limits, const BlockShape& shape) {
  Occupancy out;
  if (shape.threads == 0 || shape.threads > limits.max_threads_per_block || limits.max_warps_per_sm == 0) return out;
  const uint32_t warps = DivideUp(shape.threads, limits.warp_size);
  out.blocks_by_warps = limits.max_warps_per_sm / warps;
  out.blocks_by_blocks = limits.max_blocks_per_sm;
  out.blocks_by_registers = BlocksByRegisters(limits, shape, warps, &out);
  out.blocks_by_shared = BlocksByShared(limits, shape, &out);
  out.active_blocks_per_sm =
      std::min({out.blocks_by_warps, out.blocks_by_blocks, out.blocks_by_registers, out.blocks_by_shared});
  out.active_warps_per_sm = out.active_blocks_per_sm * warps;
  out.occupancy_pct = 100.0 * out.active_warps_per_sm / limits.max_warps_per_sm;
  if (out.blocks_by_warps == out.active_blocks_per_sm) out.limiters |= kLimitedByWarps;
  if (out.blocks_by_blocks == out.active_blocks_per_sm) out.limiters |= kLimitedByBlocks;
  if (out.blocks_by_registers == out.active_blocks_per_sm) out.limiters |= kLimitedByRegisters;
  if (out.blocks_by_shared == out.active_blocks_per_sm) out.limiters |= kLimitedByShared;
  return out;
}

std::vector<OccupancyStep> WhatWouldLift(const SmLimits& limits, const BlockShape& shape, size_t max_steps_each) {
  const Occupancy now = ComputeOccupancy(limits, shape);
  std::vector<OccupancyStep> out;
  LiftByRegisters(limits, shape, now, max_steps_each, &out);
  LiftByShared(limits, shape, now, max_steps_each, &out);
  LiftByBlockSize(limits, shape, now, max_steps_each, &out);
  return out;
}

std::string LimiterText(uint8_t limiters) {
  struct Word {
    Limiter limiter;
    const char* text;
  };
  constexpr Word kWords[] = {{kLimitedByWarps, "warps"},
                             {kLimitedByBlocks, "blocks"},
                             {kLimitedByRegisters, "registers"},
                             {kLimitedByShared, "shared memory"}};
  std::string out;
  for (const Word& word : kWords) {
    if ((limiters & word.limiter) == 0) continue;
    if (!out.empty()) out += " and ";
    out += word.text;
  }
  return out.empty() ? "none" : out;
}

}  // namespace warpscope::analysis
