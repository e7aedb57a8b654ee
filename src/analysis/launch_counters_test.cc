#include "analysis/launch_counters.h"

#include <gtest/gtest.h>

namespace warpscope::analysis {
namespace {

class LaunchCountersTest : public testing::Test {
 protected:
  void SetUp() override {
    model::Device device;
    device.cc_major = 9, device.cc_minor = 0, device.sm_count = 132;
    trace_.devices.push_back(device);
    model::LaunchConfig config;
    config.grid[0] = 264 * 8, config.grid[1] = config.grid[2] = 1;
    config.block[0] = 256, config.block[1] = config.block[2] = 1;
    config.registers_per_thread = 64;
    config.shared_bytes = 0;
    trace_.launch_configs.push_back(config);
    profile_.device = 0, profile_.config = 0;
  }
  KernelCounters Filled(KernelCounters counters = {}) {
    FillFromLaunch(trace_, profile_, &counters);
    return counters;
  }
  model::Trace trace_;
  model::KernelProfile profile_;
};

// 64 registers x 256 threads: 4 blocks of 65536 registers, 32 of 64 warps; 2112 blocks over 132 SMs of 4 are 4 waves.
TEST_F(LaunchCountersTest, TellsWhatGeometryAndDeviceTell) {
  const KernelCounters counters = Filled();
  EXPECT_EQ(counters[Counter::kSmCount], 132);
  EXPECT_EQ(counters[Counter::kGridSize], 2112);
  EXPECT_EQ(counters[Counter::kBlockSize], 256);
  EXPECT_EQ(counters[Counter::kRegisters], 64);
  EXPECT_EQ(counters[Counter::kTheoreticalOccupancyPct], 50);
  EXPECT_EQ(counters[Counter::kLimitRegisters], 4);
  EXPECT_EQ(counters[Counter::kLimitWarps], 8);
  EXPECT_EQ(counters[Counter::kWaves], 4);
}

TEST_F(LaunchCountersTest, WhatTheToolMeasuredStays) {
  KernelCounters measured;
  measured.values[static_cast<size_t>(Counter::kTheoreticalOccupancyPct)] = 37.5;
  EXPECT_EQ(Filled(measured)[Counter::kTheoreticalOccupancyPct], 37.5);
}

TEST_F(LaunchCountersTest, WithoutRegistersOrDeviceNoOccupancyIsInvented) {
  trace_.launch_configs[0].registers_per_thread.reset();
  EXPECT_FALSE(Filled()[Counter::kTheoreticalOccupancyPct]);
  EXPECT_EQ(Filled()[Counter::kBlockSize], 256);
  profile_.device = model::kNone;
  EXPECT_FALSE(Filled()[Counter::kSmCount]);
}

}  // namespace
}  // namespace warpscope::analysis
