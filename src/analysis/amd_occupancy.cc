// Waves that fit a compute unit of CDNA 2, 3 and 4: 8 waves a SIMD, four SIMDs, 512 vector registers a lane that plain
// and accumulation registers share, given in units of 8; 64 KiB of LDS, given in units of 512 bytes.
// Sources: LLVM's AMDGPUBaseInfo (getTotalNumVGPRs, getVGPRAllocGranule, getMaxWavesPerEU, LDS granularity) and the
// CDNA 2 and CDNA 3 instruction set documents. Earlier and other devices keep registers apart or differ: not known
// here.
#include <algorithm>

#include "analysis/amd_counters.h"

namespace warpscope::analysis {
namespace {

constexpr uint64_t kWaveLanes = 64, kWavesOfCu = 32, kSimds = 4;
constexpr uint64_t kVgprs = 512, kVgprUnit = 8, kLdsBytes = 65536, kLdsUnit = 512;

uint64_t RoundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

void FillAmdOccupancy(const model::Device& device, const model::LaunchConfig& config, KernelCounters* counters) {
  if (device.warp_size != kWaveLanes || device.max_threads_per_sm != kWavesOfCu * kWaveLanes) return;
  const uint64_t threads = uint64_t{config.block[0]} * config.block[1] * config.block[2];
  if (threads == 0 || !config.registers_per_thread || !config.shared_bytes) return;
  if (*config.registers_per_thread > kVgprs || *config.shared_bytes > kLdsBytes) return;  // not of these devices
  const uint64_t waves = (threads + kWaveLanes - 1) / kWaveLanes;
  if (waves > kWavesOfCu) return;
  const uint64_t registers = std::max(kVgprUnit, RoundUp(*config.registers_per_thread, kVgprUnit));
  const uint64_t by_waves = kWavesOfCu / waves;
  const uint64_t by_registers = std::min(kWavesOfCu, kVgprs / registers * kSimds) / waves;
  const uint64_t lds = RoundUp(*config.shared_bytes, kLdsUnit);
  const uint64_t by_lds = lds == 0 ? by_waves : kLdsBytes / lds;
  const uint64_t groups = std::min({by_waves, by_registers, by_lds});
  if (groups == 0) return;
  const auto set = [&](Counter counter, double value) {
    auto& slot = counters->values[static_cast<size_t>(counter)];
    if (!slot) slot = value;
  };
  set(Counter::kTheoreticalOccupancyPct, 100.0 * static_cast<double>(groups * waves) / kWavesOfCu);
  set(Counter::kLimitWarps, static_cast<double>(by_waves));
  set(Counter::kLimitRegisters, static_cast<double>(by_registers));
  set(Counter::kLimitShared, static_cast<double>(by_lds));
  const double grid = double{1} * config.grid[0] * config.grid[1] * config.grid[2];
  if (device.sm_count && *device.sm_count > 0 && grid > 0)
    set(Counter::kWaves, grid / (double{1} * *device.sm_count * static_cast<double>(groups)));
}

}  // namespace warpscope::analysis
