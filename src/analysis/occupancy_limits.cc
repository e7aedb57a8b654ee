// The limits of each compute capability. See occupancy.h for the sources.
#include <algorithm>
#include <array>

#include "analysis/occupancy.h"

namespace warpscope::analysis {
namespace {

struct Row {
  uint32_t major, minor;
  uint32_t warps, blocks;        // resident on an SM
  uint32_t shared_kb, optin_kb;  // of an SM; of a block at most
  uint32_t block_registers;
};

// Programming guide of CUDA 8 (5.x, 6.x), 11 (7.x), 13 (7.5 and up). 10.1 was renamed 11.0 in CUDA 13.
constexpr Row kRows[] = {
    {5, 0, 64, 32, 64, 48, 65536},    {5, 2, 64, 32, 96, 48, 65536},    {5, 3, 64, 32, 64, 48, 32768},
    {6, 0, 64, 32, 64, 48, 65536},    {6, 1, 64, 32, 96, 48, 65536},    {6, 2, 64, 32, 64, 48, 32768},
    {7, 0, 64, 32, 96, 96, 65536},    {7, 2, 64, 32, 96, 96, 65536},    {7, 5, 32, 16, 64, 64, 65536},
    {8, 0, 64, 32, 164, 163, 65536},  {8, 6, 48, 16, 100, 99, 65536},   {8, 7, 48, 16, 164, 163, 65536},
    {8, 9, 48, 24, 100, 99, 65536},   {9, 0, 64, 32, 228, 227, 65536},  {10, 0, 64, 32, 228, 227, 65536},
    {10, 1, 48, 24, 228, 227, 65536}, {10, 3, 64, 32, 228, 227, 65536}, {11, 0, 48, 24, 228, 227, 65536},
    {12, 0, 48, 24, 100, 99, 65536},  {12, 1, 48, 24, 100, 99, 65536},
};

SmLimits FromRow(const Row& row) {
  SmLimits limits;
  limits.cc_major = row.major;
  limits.cc_minor = row.minor;
  limits.max_warps_per_sm = row.warps;
  limits.max_threads_per_sm = row.warps * limits.warp_size;
  limits.max_blocks_per_sm = row.blocks;
  limits.registers_per_block = row.block_registers;
  limits.warp_granularity = row.major == 6 && row.minor == 0 ? 2 : 4;
  limits.shared_bytes_per_sm = row.shared_kb * 1024;
  limits.shared_bytes_per_block_optin = row.optin_kb * 1024;
  limits.shared_unit_bytes = row.major >= 8 ? 128 : 256;
  limits.shared_reserved_bytes = row.major >= 8 ? 1024 : 0;
  return limits;
}

template <typename T>
void Override(T& value, const std::optional<uint32_t>& recorded) {
  if (recorded && *recorded > 0) value = *recorded;
}

}  // namespace

std::optional<SmLimits> LimitsOf(uint32_t cc_major, uint32_t cc_minor) {
  const Row* best = nullptr;
  for (const Row& row : kRows) {
    if (row.major == cc_major && (row.minor <= cc_minor || best == nullptr)) best = &row;
  }
  if (best == nullptr) return std::nullopt;
  SmLimits limits = FromRow(*best);
  limits.cc_minor = cc_minor;
  return limits;
}

std::optional<SmLimits> LimitsOf(const model::Device& device) {
  if (!device.cc_major || device.warp_size.value_or(32) != 32) return std::nullopt;
  // AMD devices report a capability too (9.0 for gfx90a, gfx94x): their names or limits give them away.
  if (device.name.find("AMD") != std::string::npos || device.name.find("Radeon") != std::string::npos)
    return std::nullopt;
  std::optional<SmLimits> limits = LimitsOf(*device.cc_major, device.cc_minor.value_or(0));
  if (!limits) return std::nullopt;
  Override(limits->max_threads_per_block, device.max_threads_per_block);
  Override(limits->max_threads_per_sm, device.max_threads_per_sm);
  limits->max_warps_per_sm = limits->max_threads_per_sm / limits->warp_size;
  Override(limits->registers_per_sm, device.registers_per_sm);
  Override(limits->registers_per_block, device.registers_per_block);
  Override(limits->shared_bytes_per_sm, device.shared_bytes_per_sm);
  Override(limits->shared_bytes_per_block, device.shared_bytes_per_block);
  Override(limits->shared_bytes_per_block_optin, device.shared_bytes_per_block_optin);
  return limits;
}

std::vector<SmLimits> AllLimits() {
  std::vector<SmLimits> out;
  for (const Row& row : kRows) out.push_back(FromRow(row));
  return out;
}

}  // namespace warpscope::analysis
