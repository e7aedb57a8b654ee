#include "analysis/occupancy.h"

#include <gtest/gtest.h>

namespace warpscope::analysis {
namespace {

struct Case {
  uint32_t major, minor, threads, registers, shared;
  uint32_t blocks, warps;
  const char* limiter;
};

// Hand-checked with the formula of the occupancy calculator; the 9.0 rows also with Nsight Compute on an H200.
const Case kCases[] = {
    {9, 0, 256, 16, 0, 8, 64, "warps"},
    {9, 0, 256, 20, 0, 8, 64, "warps"},
    {9, 0, 256, 16, 4224, 8, 64, "warps"},
    {9, 0, 64, 16, 0, 32, 64, "warps and blocks"},
    {9, 0, 256, 64, 0, 4, 32, "registers"},
    {9, 0, 128, 255, 0, 2, 8, "registers"},
    {9, 0, 128, 32, 227 * 1024, 1, 4, "shared memory"},
    {9, 0, 128, 32, 113 * 1024, 2, 8, "shared memory"},
    {9, 0, 128, 32, 228 * 1024, 0, 0, "shared memory"},
    {9, 0, 1024, 65, 0, 0, 0, "registers"},
    {9, 0, 1024, 64, 0, 1, 32, "registers"},
    {8, 0, 32, 16, 0, 32, 32, "blocks"},
    {8, 6, 1024, 32, 0, 1, 32, "warps"},
    {8, 9, 32, 16, 0, 24, 24, "blocks"},
    {7, 5, 256, 64, 0, 4, 32, "warps and registers"},
    {7, 0, 256, 32, 49152, 2, 16, "shared memory"},
    {6, 0, 96, 64, 0, 10, 30, "registers"},
    {6, 1, 96, 72, 0, 9, 27, "registers"},
    {5, 3, 1024, 33, 0, 0, 0, "registers"},
    {12, 0, 128, 32, 50 * 1024, 1, 4, "shared memory"},
    {11, 0, 128, 32, 0, 12, 48, "warps"},
};

TEST(Occupancy, AgreesWithKnownValues) {
  for (const Case& c : kCases) {
    const auto limits = LimitsOf(c.major, c.minor);
    ASSERT_TRUE(limits);
    const Occupancy o = ComputeOccupancy(*limits, {c.threads, c.registers, c.shared});
    const std::string at = std::to_string(c.major) + "." + std::to_string(c.minor) + " " + std::to_string(c.threads) +
                           " " + std::to_string(c.registers) + " " + std::to_string(c.shared);
    EXPECT_EQ(o.active_blocks_per_sm, c.blocks) << at;
    EXPECT_EQ(o.active_warps_per_sm, c.warps) << at;
    EXPECT_EQ(LimiterText(o.limiters), c.limiter) << at;
  }
}

TEST(Occupancy, CapabilitiesOutsideTheTable) {
  EXPECT_FALSE(LimitsOf(3, 5));
  EXPECT_FALSE(LimitsOf(13, 0));
  EXPECT_EQ(LimitsOf(8, 8)->max_blocks_per_sm, LimitsOf(8, 7)->max_blocks_per_sm);
  model::Device amd;
  amd.name = "AMD Instinct MI300X";
  amd.cc_major = 9;
  amd.cc_minor = 4;
  EXPECT_FALSE(LimitsOf(amd));
  amd.name = "";
  amd.warp_size = 64;
  EXPECT_FALSE(LimitsOf(amd));
}

TEST(Occupancy, RecordedPropertiesOverrideTheTable) {
  model::Device device;
  device.cc_major = 9;
  device.cc_minor = 0;
  device.shared_bytes_per_sm = 65536;
  EXPECT_EQ(ComputeOccupancy(*LimitsOf(device), {128, 32, 32 * 1024 - 1024}).active_blocks_per_sm, 2U);
}

TEST(Occupancy, LadderGainsAtEveryRungAndNotBefore) {
  for (const SmLimits& limits : AllLimits()) {
    for (const BlockShape shape : {BlockShape{256, 128, 20000}, BlockShape{96, 80, 0}, BlockShape{1024, 60, 30000}}) {
      uint32_t registers_before = shape.registers_per_thread;
      uint32_t warps_before = ComputeOccupancy(limits, shape).active_warps_per_sm;
      for (const OccupancyStep& step : WhatWouldLift(limits, shape)) {
        EXPECT_EQ(step.occupancy.active_warps_per_sm, ComputeOccupancy(limits, step.shape).active_warps_per_sm);
        EXPECT_GT(step.occupancy.active_warps_per_sm, ComputeOccupancy(limits, shape).active_warps_per_sm);
        if (step.what == OccupancyStep::kRegisters) {
          EXPECT_LT(step.shape.registers_per_thread, registers_before);
          BlockShape one_more = step.shape;
          ++one_more.registers_per_thread;
          EXPECT_LE(ComputeOccupancy(limits, one_more).active_warps_per_sm, warps_before);
          registers_before = step.shape.registers_per_thread;
          warps_before = step.occupancy.active_warps_per_sm;
        }
        if (step.what == OccupancyStep::kShared) {
          BlockShape one_more = step.shape;
          ++one_more.shared_bytes;
          EXPECT_LT(ComputeOccupancy(limits, one_more).active_warps_per_sm, step.occupancy.active_warps_per_sm);
        }
      }
    }
  }
}

TEST(Occupancy, HostileShapesDoNotBreakIt) {
  const SmLimits limits = *LimitsOf(9, 0);
  for (const uint32_t threads : {0U, 1U, 1025U, UINT32_MAX}) {
    for (const uint32_t registers : {0U, 1U, 256U, UINT32_MAX}) {
      for (const uint32_t shared : {0U, 1U, UINT32_MAX}) {
        const Occupancy o = ComputeOccupancy(limits, {threads, registers, shared});
        EXPECT_LE(o.occupancy_pct, 100.0);
        if (threads == 1 && registers <= 256) WhatWouldLift(limits, {threads, registers, shared});
      }
    }
  }
  SmLimits zero;
  EXPECT_EQ(ComputeOccupancy(zero, {32, 32, 0}).active_blocks_per_sm, 0U);
}

}  // namespace
}  // namespace warpscope::analysis
