// Theoretical occupancy, its limiters and waves against what Nsight Compute computed for kernels on an H200.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "analysis/kernels.h"
#include "text.h"

namespace warpscope::recorded {
namespace {

// The raw page as CSV, unpacked by gzip. Empty without the file.
std::string Unpack(const std::string& path) {
  if (!ReadFile(path)) return {};
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("gzip -dc '" + path + "'").c_str(), "r"), pclose);
  std::string out;
  char block[65536];
  for (size_t got = 0; pipe && (got = fread(block, 1, sizeof(block), pipe.get())) > 0;) out.append(block, got);
  return out;
}

std::vector<std::string> CsvCells(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) out.emplace_back();
    else out.back() += c;
  }
  return out;
}

TEST(NsightCompute, TheoreticalOccupancyAgrees) {
  const std::string text = Unpack(WS_SHARED "/traces/ncu/kernels.raw.csv.gz");
  if (text.empty()) GTEST_SKIP() << "no recording at hand";
  const auto lines = Lines(text);
  const auto header = CsvCells(lines[0]), units = CsvCells(lines[1]);
  std::map<std::string, size_t> column;
  for (size_t i = 0; i < header.size(); ++i) column[header[i]] = i;
  int kernels = 0;
  for (size_t i = 2; i < lines.size(); ++i) {
    const auto cells = CsvCells(lines[i]);
    if (cells.size() != header.size()) continue;
    const auto value = [&](const char* name) { return ToNumber(cells[column.at(name)]).value_or(-1); };
    const auto bytes = [&](const char* name) {
      return value(name) * (units[column.at(name)].substr(0, 5) == "Kbyte" ? 1000 : 1);
    };
    model::Device device;
    device.cc_major = static_cast<uint32_t>(value("device__attribute_compute_capability_major"));
    device.cc_minor = static_cast<uint32_t>(value("device__attribute_compute_capability_minor"));
    device.sm_count = static_cast<uint32_t>(value("launch__sm_count"));
    model::LaunchConfig config;
    config.grid[0] = static_cast<uint32_t>(value("launch__grid_size"));
    config.block[0] = static_cast<uint32_t>(value("launch__block_size"));
    config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
    config.registers_per_thread = static_cast<uint32_t>(value("launch__registers_per_thread"));
    config.shared_bytes = static_cast<uint32_t>(bytes("launch__shared_mem_per_block_static") +
                                                bytes("launch__shared_mem_per_block_dynamic") + 0.5);
    const auto waves = analysis::LaunchWaves(device, config);
    ASSERT_TRUE(waves);
    const analysis::Occupancy& ours = waves->occupancy;
    EXPECT_EQ(ours.blocks_by_warps, value("launch__occupancy_limit_warps")) << i;
    EXPECT_EQ(ours.blocks_by_blocks, value("launch__occupancy_limit_blocks")) << i;
    EXPECT_EQ(ours.blocks_by_registers, value("launch__occupancy_limit_registers")) << i;
    EXPECT_NEAR(ours.shared_bytes_per_block, bytes("launch__shared_mem_per_block_allocated"), 0.5) << i;
    // The shared memory limit there is that of the chosen split of L1; it never binds in these kernels, nor here.
    const double least =
        std::min({value("launch__occupancy_limit_warps"), value("launch__occupancy_limit_blocks"),
                  value("launch__occupancy_limit_registers"), value("launch__occupancy_limit_shared_mem")});
    EXPECT_EQ(ours.active_blocks_per_sm, least) << i;
    EXPECT_DOUBLE_EQ(ours.occupancy_pct, value("sm__maximum_warps_per_active_cycle_pct")) << i;
    EXPECT_NEAR(waves->waves, value("launch__waves_per_multiprocessor"), 0.0051) << i;
    ++kernels;
  }
  EXPECT_GE(kernels, 8);
}

}  // namespace
}  // namespace warpscope::recorded
