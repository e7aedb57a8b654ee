// Theoretical occupancy of a CUDA kernel launch, its limiter, and what would lift it.
// [MT] Pure functions.
// Sources of the limits: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" and the
// per-architecture tuning guides; allocation granularities: the CUDA occupancy calculator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/trace.h"

namespace warpscope::analysis {

struct SmLimits {
  uint32_t cc_major = 0, cc_minor = 0;
  uint32_t warp_size = 32;
  uint32_t max_threads_per_block = 1024;
  uint32_t max_threads_per_sm = 0;
  uint32_t max_warps_per_sm = 0;
  uint32_t max_blocks_per_sm = 0;
  uint32_t registers_per_sm = 65536;
  uint32_t registers_per_block = 65536;
  uint32_t max_registers_per_thread = 255;
  uint32_t register_unit = 256;   // registers are given to a warp in this unit
  uint32_t warp_granularity = 4;  // warps of a block are rounded up to this (SM sub-partitions)
  uint32_t shared_bytes_per_sm = 0;
  uint32_t shared_bytes_per_block = 49152;  // without opting in
  uint32_t shared_bytes_per_block_optin = 49152;
  uint32_t shared_unit_bytes = 256;
  uint32_t shared_reserved_bytes = 0;  // a block, taken by the driver
};

// Limits of a compute capability 5.0 - 12.x; an unlisted minor takes the nearest lower listed one of its major.
// Absent below 5.0 or for an unknown major.
std::optional<SmLimits> LimitsOf(uint32_t cc_major, uint32_t cc_minor);
// Of a recorded device: its own properties override the table. Absent if its capability is unknown (also: AMD).
std::optional<SmLimits> LimitsOf(const model::Device& device);
// Every listed capability, ascending.
std::vector<SmLimits> AllLimits();

struct BlockShape {
  uint32_t threads = 0;  // a block
  uint32_t registers_per_thread = 0;
  uint32_t shared_bytes = 0;  // static + dynamic, a block
};

// Bits: several limits can bind at once.
enum Limiter : uint8_t {
  kLimitedByWarps = 1,   // threads or warps of the SM
  kLimitedByBlocks = 2,  // resident blocks of the SM
  kLimitedByRegisters = 4,
  kLimitedByShared = 8,
};

struct Occupancy {
  uint32_t active_blocks_per_sm = 0;  // 0: this block cannot run at all
  uint32_t active_warps_per_sm = 0;
  double occupancy_pct = 0;  // of max_warps_per_sm
  uint8_t limiters = 0;      // Limiter bits
  // Blocks that each resource alone would allow.
  uint32_t blocks_by_warps = 0, blocks_by_blocks = 0, blocks_by_registers = 0, blocks_by_shared = 0;
  uint32_t registers_per_block = 0;     // as allocated (rounded up)
  uint32_t shared_bytes_per_block = 0;  // as allocated (rounded up, with the reserve)
  bool limited_by(Limiter limiter) const { return (limiters & limiter) != 0; }
};

Occupancy ComputeOccupancy(const SmLimits& limits, const BlockShape& shape);

// One change of one number that gains at least one block or warp.
struct OccupancyStep {
  enum What : uint8_t { kRegisters, kShared, kBlockSize } what = kRegisters;
  BlockShape shape;  // after the change
  Occupancy occupancy;
};
// Ladders in order: fewer registers, then less shared memory (largest value that reaches each next level), then every
// other block size that beats the present occupancy (multiples of 32), each best first within its level.
std::vector<OccupancyStep> WhatWouldLift(const SmLimits& limits, const BlockShape& shape, size_t max_steps_each = 4);

// "registers", "shared memory", "warps", "blocks"; several joined with " and "; "none" for 0.
std::string LimiterText(uint8_t limiters);

}  // namespace warpscope::analysis
