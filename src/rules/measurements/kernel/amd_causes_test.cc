// Causes on counters of AMD's tools: with the flaw, without it, and without the counters that tell. Devices and kernels
// are small, so that shares can be followed by hand.
#include <gtest/gtest.h>

#include "rules/measurements/kernel/judge.h"
#include "rules/testing/profiles.h"

namespace warpscope::rules::testing {
namespace {

// 100 compute units at 1 GHz, 1000 GB/s; a kernel of 100 us, 100,000 cycles.
constexpr int64_t kDurNs = 100000;
constexpr double kCycles = 100000, kCuCycles = kCycles * 100;

model::Trace OneKernel(const MetricValues& metrics, uint32_t blocks = 10000, uint32_t threads = 256,
                       uint32_t registers = 32, uint32_t shared = 0) {
  model::Trace trace;
  trace.sources.emplace_back();
  trace.sources[0].vendor = model::Vendor::kAmd;
  model::Device device;
  device.sm_count = 100;
  device.warp_size = 64;
  device.max_threads_per_sm = 2048;
  trace.devices.push_back(device);
  for (const auto& [name, value] : {std::pair<const char*, double>{"measured peak HBMBw", 1000},
                                    {"measured peak L2Bw", 4000},
                                    {"accelerator dies", 1},
                                    {"shader engines", 10}}) {
    model::Reading reading;
    reading.device = 0;
    reading.name = trace.strings.Intern(name);
    reading.value = value;
    trace.readings.push_back(reading);
  }
  model::LaunchConfig config;
  config.grid[0] = blocks;
  config.grid[1] = config.grid[2] = 1;
  config.block[0] = threads;
  config.block[1] = config.block[2] = 1;
  config.registers_per_thread = registers;
  config.shared_bytes = shared;
  AddProfile(trace, "k", config, kDurNs, metrics);
  trace.kernel_profiles[0].device = 0;
  return trace;
}

MetricValues With(MetricValues metrics, const MetricValues& more) {
  for (const auto& [name, value] : more) {
    std::erase_if(metrics, [&, &name = name](const auto& metric) { return metric.first == name; });
    metrics.emplace_back(name, value);
  }
  return metrics;
}

// Vector units 20 % busy, memory 20 %, waves wait 30 %: nothing to say.
MetricValues Plain() {
  return {{"GRBM_GUI_ACTIVE", kCycles},
          {"SQ_ACTIVE_INST_VALU", 0.2 * kCuCycles},
          {"SQ_THREAD_CYCLES_VALU", 64 * 0.2 * kCuCycles},
          {"SQ_VALU_MFMA_BUSY_CYCLES", 0},
          {"SQ_INSTS", 0.5 * kCuCycles},
          {"SQ_INSTS_LDS", 0.05 * kCuCycles},
          {"SQ_INSTS_VALU_FMA_F16", 0},
          {"SQ_LDS_IDX_ACTIVE", 0.1 * kCuCycles},
          {"SQ_LDS_BANK_CONFLICT", 0},
          {"memory_read_bytes", 1e7},
          {"memory_write_bytes", 1e7},
          {"TCP_TOTAL_CACHE_ACCESSES_sum", 0.1 * kCuCycles},
          {"TA_TOTAL_WAVEFRONTS_sum", 0.01 * kCuCycles},
          {"TCP_TCC_READ_REQ_sum", 100000},
          {"TCP_TCC_WRITE_REQ_sum", 100000},
          {"TA_FLAT_READ_WAVEFRONTS_sum", 0.01 * kCuCycles},
          {"TA_FLAT_ATOMIC_WAVEFRONTS_sum", 0},
          {"TA_BUFFER_READ_WAVEFRONTS_sum", 0},
          {"TA_BUFFER_WRITE_WAVEFRONTS_sum", 0},
          {"TA_BUFFER_ATOMIC_WAVEFRONTS_sum", 0},
          {"SQ_BUSY_CU_CYCLES", 0.95 * kCuCycles},
          {"SQ_BUSY_CYCLES", kCycles * 10},
          {"SPI_RA_VGPR_SIMD_FULL_CSN", 0},
          {"SPI_RA_LDS_CU_FULL_CSN", 0},
          {"scratch_bytes", 0},
          {"wave_wait_pct", 30}};
}

JudgedKernel Judge(const model::Trace& trace, MissingMetrics* missing) { return JudgeKernels(trace, missing).at(0); }

std::vector<std::string_view> Found(const model::Trace& trace) {
  MissingMetrics missing;
  std::vector<std::string_view> ids;
  const JudgedKernel kernel = Judge(trace, &missing);
  for (const auto& [cause, diagnosis] : kernel.diagnoses) {
    ids.push_back(cause->id);
    EXPECT_FALSE(diagnosis.time_ratio.has_value()) << cause->id;  // no model, no promise
    EXPECT_FALSE(diagnosis.evidence.empty());
    EXPECT_FALSE(diagnosis.actions.empty());
    for (const std::string& text : diagnosis.evidence) {
      EXPECT_EQ(text.find("__"), std::string::npos) << text;  // no name of NVIDIA's
      EXPECT_EQ(text.find("absent"), std::string::npos) << text;
    }
  }
  return ids;
}
std::vector<std::string_view> Found(const MetricValues& more) { return Found(OneKernel(With(Plain(), more))); }

bool Abstains(std::string_view id, const MetricValues& metrics) {
  MissingMetrics missing;
  const JudgedKernel kernel = Judge(OneKernel(metrics), &missing);
  return missing.contains(id) && !kernel.judged.contains(id);
}
MetricValues Without(std::string_view name) {
  MetricValues metrics = Plain();
  std::erase_if(metrics, [&](const auto& metric) { return metric.first == name; });
  return metrics;
}
using Ids = std::vector<std::string_view>;

TEST(AmdCauses, AKernelWithoutAFlawHasNone) { EXPECT_EQ(Found(MetricValues{}), Ids{}); }

TEST(AmdCauses, EachNamesWhatItMissesAndNoneIsJudgedOnNothing) {
  MissingMetrics missing;
  const JudgedKernel kernel = Judge(OneKernel({}, 10000, 256, 32, 0), &missing);
  for (const KernelCause* cause : AllKernelCauses()) {
    // What the launch alone tells: whether the grid is small, whether the last wave is part full, what fits.
    if (cause->id == "small_grid" || cause->id == "tail_wave" || cause->id.starts_with("occupancy_")) continue;
    EXPECT_TRUE(missing.contains(cause->id)) << cause->id;
  }
  EXPECT_TRUE(kernel.diagnoses.empty());
}

TEST(AmdCauses, BankConflict) {
  const MetricValues flaw = {{"SQ_LDS_IDX_ACTIVE", 0.8 * kCuCycles}, {"SQ_LDS_BANK_CONFLICT", 0.6 * kCuCycles}};
  EXPECT_EQ(Found(flaw), Ids{"bank_conflict"});
  // The same ratio in a tenth of the time is not worth it.
  EXPECT_EQ(Found({{"SQ_LDS_IDX_ACTIVE", 0.08 * kCuCycles}, {"SQ_LDS_BANK_CONFLICT", 0.06 * kCuCycles}}), Ids{});
  EXPECT_TRUE(Abstains("bank_conflict", Without("SQ_LDS_BANK_CONFLICT")));
  // Conflicts, but nothing tells of how many cycles; without conflicts nothing else is needed.
  EXPECT_TRUE(Abstains("bank_conflict", With(Without("GRBM_GUI_ACTIVE"), flaw)));
  EXPECT_FALSE(Abstains("bank_conflict", Without("GRBM_GUI_ACTIVE")));
}

TEST(AmdCauses, Divergence) {
  EXPECT_EQ(Found({{"SQ_ACTIVE_INST_VALU", 0.5 * kCuCycles}, {"SQ_THREAD_CYCLES_VALU", 16 * 0.5 * kCuCycles}}),
            Ids{"divergence"});
  // 48 of 64 lanes are 24 of 32; and idle vector units lose nothing.
  EXPECT_EQ(Found({{"SQ_THREAD_CYCLES_VALU", 48 * 0.2 * kCuCycles}}), Ids{});
  EXPECT_EQ(Found({{"SQ_ACTIVE_INST_VALU", 0.1 * kCuCycles}, {"SQ_THREAD_CYCLES_VALU", 16 * 0.1 * kCuCycles}}), Ids{});
  EXPECT_TRUE(Abstains("divergence", Without("SQ_THREAD_CYCLES_VALU")));
}

TEST(AmdCauses, Roofs) {
  EXPECT_EQ(Found({{"memory_read_bytes", 6e7}, {"memory_write_bytes", 3e7}, {"wave_wait_pct", 95}}), Ids{"dram_bound"});
  EXPECT_EQ(Found({{"SQ_ACTIVE_INST_VALU", 0.9 * kCuCycles}, {"SQ_THREAD_CYCLES_VALU", 64 * 0.9 * kCuCycles}}),
            Ids{"compute_bound"});
  EXPECT_EQ(Found({{"SQ_VALU_MFMA_BUSY_CYCLES", 4 * 0.85 * kCuCycles}}), Ids{"compute_bound"});
  EXPECT_EQ(Found({{"TCP_TCC_READ_REQ_sum", 4.5e6}}), Ids{"cache_bound"});
  EXPECT_TRUE(Abstains("dram_bound", Without("memory_read_bytes")));
  EXPECT_TRUE(Abstains("compute_bound", Without("SQ_ACTIVE_INST_VALU")));
  // More than memory can: a cache behind the L2 serves it, and no share of the memory's peak is known.
  EXPECT_TRUE(Abstains("dram_bound", With(Plain(), {{"memory_read_bytes", 3e8}})));
  // Requests that go elsewhere are not the memory's.
  EXPECT_EQ(Found({{"memory_read_bytes", 9e7}, {"TCC_EA_RDREQ_sum", 1e6}, {"TCC_EA_RDREQ_DRAM_sum", 1e5}}), Ids{});
}

// A data sheet's peak is never reached: the roof lies lower.
TEST(AmdCauses, MemoryAgainstADataSheet) {
  const auto against = [](const char* peak, double read_bytes) {
    model::Trace trace = OneKernel(With(Plain(), {{"memory_read_bytes", read_bytes}, {"wave_wait_pct", 90}}));
    trace.readings[0].name = trace.strings.Intern(peak);
    return Found(trace);
  };
  EXPECT_EQ(against("measured peak HBMBw", 4.5e7), Ids{"latency_bound"});
  EXPECT_EQ(against("memory bandwidth, data sheet", 4.5e7), Ids{"dram_bound"});     // 550 of 850 GB/s
  EXPECT_EQ(against("memory bandwidth, data sheet", 3.5e7), Ids{"latency_bound"});  // 450
}

TEST(AmdCauses, LatencyBound) {
  EXPECT_EQ(Found({{"wave_wait_pct", 90}}), Ids{"latency_bound"});
  EXPECT_TRUE(Abstains("latency_bound", Without("wave_wait_pct")));
  EXPECT_TRUE(Abstains("latency_bound", Without("SQ_ACTIVE_INST_VALU")));
}

TEST(AmdCauses, SeveralDiesCountCyclesOnce) {
  // Eight dies: without their number the clock would be 8 GHz, and nothing is said of shares of cycles.
  model::Trace trace = OneKernel(With(Plain(), {{"GRBM_GUI_ACTIVE", 8 * kCycles}, {"wave_wait_pct", 90}}));
  for (model::Reading& reading : trace.readings) {
    if (trace.Text(reading.name) == "accelerator dies") reading.value = 8;
  }
  EXPECT_EQ(Found(trace), Ids{"latency_bound"});
  std::erase_if(trace.readings, [&](const model::Reading& r) { return trace.Text(r.name) == "accelerator dies"; });
  MissingMetrics missing;
  EXPECT_FALSE(Judge(trace, &missing).judged.contains("latency_bound"));
}

TEST(AmdCauses, Uncoalesced) {
  const MetricValues scattered = {{"TCP_TOTAL_CACHE_ACCESSES_sum", 0.7 * kCuCycles},
                                  {"TA_TOTAL_WAVEFRONTS_sum", 0.7 / 64 * kCuCycles}};
  EXPECT_EQ(Found(scattered), Ids{"uncoalesced"});
  // 16 look-ups: 64 neighbouring doubles, as the tool's own example has them.
  EXPECT_EQ(Found({{"TA_TOTAL_WAVEFRONTS_sum", 0.1 / 16 * kCuCycles}, {"wave_wait_pct", 90}}), Ids{"latency_bound"});
  EXPECT_TRUE(Abstains("uncoalesced", Without("TA_TOTAL_WAVEFRONTS_sum")));
  EXPECT_TRUE(Abstains("uncoalesced", With(Plain(), {{"TA_FLAT_ATOMIC_WAVEFRONTS_sum", 10}})));
}

TEST(AmdCauses, RegisterSpill) {
  EXPECT_EQ(Found({{"scratch_bytes", 128}, {"TA_BUFFER_READ_WAVEFRONTS_sum", 0.05 * kCuCycles}}),
            Ids{"register_spill"});
  // Buffer instructions of a kernel without scratch are accesses of global memory.
  EXPECT_EQ(Found({{"TA_BUFFER_READ_WAVEFRONTS_sum", 0.05 * kCuCycles}}), Ids{});
  // And where they are all that there is, they cannot be told apart.
  EXPECT_TRUE(Abstains("register_spill", With(Plain(), {{"scratch_bytes", 128},
                                                        {"TA_FLAT_READ_WAVEFRONTS_sum", 0},
                                                        {"TA_BUFFER_READ_WAVEFRONTS_sum", 0.05 * kCuCycles}})));
  EXPECT_TRUE(Abstains("register_spill", Without("scratch_bytes")));
}

TEST(AmdCauses, GridAndTail) {
  EXPECT_EQ(Found(OneKernel(With(Plain(), {{"SQ_BUSY_CU_CYCLES", 0.38 * kCuCycles}}), 40)), Ids{"small_grid"});
  EXPECT_EQ(Found(OneKernel(Plain(), 100)), Ids{});
  // 8 groups of 256 fit: 800 a wave of workgroups.
  const MetricValues idle = With(Plain(), {{"SQ_BUSY_CU_CYCLES", 0.7 * kCuCycles}});
  EXPECT_EQ(Found(OneKernel(idle, 1000)), Ids{"tail_wave"});
  EXPECT_EQ(Found(OneKernel(Plain(), 1000)), Ids{});  // all end together
  MissingMetrics missing;
  EXPECT_FALSE(Judge(OneKernel(Without("SQ_BUSY_CU_CYCLES"), 1000), &missing).judged.contains("tail_wave"));
}

TEST(AmdCauses, Occupancy) {
  // 256 registers of 512: two waves a SIMD, 25 %.
  const MetricValues held = With(Plain(), {{"wave_wait_pct", 80}, {"SPI_RA_VGPR_SIMD_FULL_CSN", 0.5 * kCuCycles}});
  EXPECT_EQ(Found(OneKernel(held, 10000, 256, 256)), Ids{"occupancy_registers"});
  // Low occupancy alone is none.
  EXPECT_EQ(Found(OneKernel(Plain(), 10000, 256, 256)), Ids{});
  const MetricValues lds = With(Plain(), {{"wave_wait_pct", 80}, {"SPI_RA_LDS_CU_FULL_CSN", 0.1 * kCuCycles}});
  EXPECT_EQ(Found(OneKernel(lds, 10000, 256, 32, 32768)), Ids{"occupancy_shared"});
  MissingMetrics missing;
  const model::Trace trace = OneKernel(Without("SPI_RA_VGPR_SIMD_FULL_CSN"), 10000, 256, 256);
  EXPECT_FALSE(Judge(trace, &missing).judged.contains("occupancy_registers"));
}

TEST(AmdCauses, NoMatrixInstructions) {
  const MetricValues products = {{"SQ_ACTIVE_INST_VALU", 0.7 * kCuCycles},
                                 {"SQ_THREAD_CYCLES_VALU", 64 * 0.7 * kCuCycles},
                                 {"SQ_INSTS_VALU_FMA_F16", 0.3 * kCuCycles}};
  EXPECT_EQ(Found(products), Ids{"no_tensor_core"});
  EXPECT_EQ(Found(With(products, {{"SQ_VALU_MFMA_BUSY_CYCLES", 4 * 0.2 * kCuCycles}})), Ids{"compute_bound"});
  EXPECT_TRUE(Abstains("no_tensor_core", Without("SQ_INSTS_VALU_FMA_F16")));
}

}  // namespace
}  // namespace warpscope::rules::testing
