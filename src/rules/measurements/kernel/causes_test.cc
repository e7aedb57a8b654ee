// Every cause on counters with the flaw, without it, and without the metrics that tell. Values are those of measured
// kernels (rules/testing/profiles.h).
#include <gtest/gtest.h>

#include "rules/measurements/kernel/judge.h"
#include "rules/testing/profiles.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kCompute = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kMemory = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kDram = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kIssue = "smsp__issue_active.avg.per_cycle_active";
constexpr const char* kWaves = "launch__waves_per_multiprocessor";

KernelOutcome JudgedBy(std::string_view id, const MetricValues& metrics) {
  model::testing::TraceBuilder builder;
  AddProfile(builder.trace(), "k", model::testing::TraceBuilder::DefaultConfig(), 1000, metrics);
  const model::Trace& trace = builder.trace();
  const analysis::KernelCounters counters = analysis::CounterReader(trace).Read(trace.kernel_profiles[0]);
  for (const KernelCause* cause : AllKernelCauses()) {
    if (cause->id == id) return cause->judge({counters, &trace.launch_configs[trace.kernel_profiles[0].config]});
  }
  ADD_FAILURE() << id;
  return {};
}

void ExpectFires(const KernelOutcome& outcome) {
  ASSERT_TRUE(outcome.diagnosis.has_value());
  EXPECT_FALSE(outcome.diagnosis->title.empty());
  EXPECT_FALSE(outcome.diagnosis->evidence.empty());
  EXPECT_FALSE(outcome.diagnosis->actions.empty());
  EXPECT_GE(outcome.diagnosis->waste_ratio, 0);
  EXPECT_LE(outcome.diagnosis->waste_ratio, 1);
}
void ExpectSilent(const KernelOutcome& outcome) {
  EXPECT_FALSE(outcome.diagnosis.has_value()) << outcome.diagnosis->title;
  EXPECT_TRUE(outcome.missing.empty());
}
void ExpectAbstains(const KernelOutcome& outcome) {
  EXPECT_FALSE(outcome.diagnosis.has_value());
  EXPECT_FALSE(outcome.missing.empty());
}

// The ids of what a kernel is found to suffer from, worst first.
std::vector<std::string_view> Found(const MetricValues& metrics) {
  model::testing::TraceBuilder builder;
  AddProfile(builder.trace(), "k", model::testing::TraceBuilder::DefaultConfig(), 1000, metrics);
  MissingMetrics missing;
  const std::vector<JudgedKernel> kernels = JudgeKernels(builder.trace(), &missing);
  std::vector<std::string_view> ids;
  for (const auto& [cause, diagnosis] : kernels.at(0).diagnoses) ids.push_back(cause->id);
  return ids;
}

TEST(KernelCauses, WithoutAnyMetricEachAbstains) {
  for (const KernelCause* cause : AllKernelCauses()) {
    SCOPED_TRACE(cause->id);
    ExpectAbstains(JudgedBy(cause->id, {}));
  }
}

TEST(KernelCauses, AtItsRoofAKernelHasNothingToFix) {
  for (const KernelCause* cause : AllKernelCauses()) {
    SCOPED_TRACE(cause->id);
    if (cause->id == "compute_bound") ExpectFires(JudgedBy(cause->id, AtRoofMetrics()));
    else ExpectSilent(JudgedBy(cause->id, AtRoofMetrics()));
  }
  EXPECT_EQ(Found(AtRoofMetrics()), std::vector<std::string_view>{"compute_bound"});
  EXPECT_EQ(JudgedBy("compute_bound", AtRoofMetrics()).diagnosis->waste_ratio, 0);
}

TEST(KernelCauses, BankConflict) {
  const KernelOutcome outcome = JudgedBy("bank_conflict", BankConflictMetrics());
  ExpectFires(outcome);
  EXPECT_NE(outcome.diagnosis->title.find("31-way"), std::string::npos) << outcome.diagnosis->title;
  EXPECT_NEAR(*outcome.diagnosis->time_ratio, 0.057, 0.002);  // the padded kernel took 0.060 of the time
  EXPECT_EQ(Found(BankConflictMetrics()), std::vector<std::string_view>{"bank_conflict"});
  ExpectSilent(JudgedBy("bank_conflict", With(BankConflictMetrics(), "memory_l1_wavefronts_shared", 18'000'000)));
  ExpectAbstains(JudgedBy("bank_conflict", Without(Without(BankConflictMetrics(), "memory_l1_wavefronts_shared"),
                                                   "memory_l1_wavefronts_shared_ideal")));
}

TEST(KernelCauses, Uncoalesced) {
  const KernelOutcome outcome = JudgedBy("uncoalesced", UncoalescedMetrics());
  ExpectFires(outcome);
  EXPECT_NEAR(*outcome.diagnosis->time_ratio, 0.222, 0.01);
  EXPECT_EQ(Found(UncoalescedMetrics()), std::vector<std::string_view>{"uncoalesced"});
  ExpectSilent(JudgedBy("uncoalesced", With(UncoalescedMetrics(), "memory_l2_theoretical_sectors_global", 9e6)));
  // Waste that something else hides.
  MetricValues busy = With(With(UncoalescedMetrics(), kMemory, 20), StallMetric("not_selected"), 400);
  ExpectSilent(JudgedBy("uncoalesced", busy));
  ExpectAbstains(JudgedBy("uncoalesced", Without(UncoalescedMetrics(), "memory_l2_theoretical_sectors_global")));
}

TEST(KernelCauses, UncoalescedByBytesOfASector) {
  const MetricValues metrics = {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1e6},
                                {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", 4},
                                {kMemory, 80}};
  ExpectFires(JudgedBy("uncoalesced", metrics));
  ExpectSilent(
      JudgedBy("uncoalesced", With(metrics, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", 30)));
}

TEST(KernelCauses, UncoalescedByRequests) {
  MetricValues metrics = {{"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", 32}, {kMemory, 80}};
  ExpectFires(JudgedBy("uncoalesced", metrics));
  // 16 sectors are what 32 neighbouring 16-byte values take.
  ExpectSilent(JudgedBy("uncoalesced",
                        With(metrics, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", 16)));
}

TEST(KernelCauses, Divergence) {
  const KernelOutcome outcome = JudgedBy("divergence", DivergenceMetrics());
  ExpectFires(outcome);
  EXPECT_NEAR(*outcome.diagnosis->time_ratio, 0.125, 0.001);
  EXPECT_EQ(Found(DivergenceMetrics()), std::vector<std::string_view>{"divergence"});
  ExpectSilent(JudgedBy("divergence", With(With(DivergenceMetrics(), kIssue, 0.1), kCompute, 10)));
  ExpectAbstains(
      JudgedBy("divergence", Without(DivergenceMetrics(), "smsp__thread_inst_executed_per_inst_executed.ratio")));
}

TEST(KernelCauses, Occupancy) {
  const KernelOutcome outcome = JudgedBy("occupancy_registers", FewRegistersLeftMetrics());
  ExpectFires(outcome);
  EXPECT_NEAR(*outcome.diagnosis->time_ratio, 0.125, 0.001);
  EXPECT_EQ(Found(FewRegistersLeftMetrics()), std::vector<std::string_view>{"occupancy_registers"});
  // Low occupancy alone is no cause.
  ExpectSilent(JudgedBy("occupancy_registers", With(FewRegistersLeftMetrics(), kCompute, 85)));
  ExpectSilent(JudgedBy("occupancy_registers", With(FewRegistersLeftMetrics(), kIssue, 0.9)));
  ExpectSilent(
      JudgedBy("occupancy_registers", With(FewRegistersLeftMetrics(), "sm__maximum_warps_per_active_cycle_pct", 75)));
  ExpectAbstains(
      JudgedBy("occupancy_registers", Without(FewRegistersLeftMetrics(), "launch__occupancy_limit_registers")));

  MetricValues shared = With(With(FewRegistersLeftMetrics(), "launch__occupancy_limit_registers", 8),
                             "launch__occupancy_limit_shared_mem", 1);
  ExpectFires(JudgedBy("occupancy_shared", shared));
  ExpectSilent(JudgedBy("occupancy_registers", shared));
  MetricValues blocks = With(With(With(FewRegistersLeftMetrics(), "launch__occupancy_limit_registers", 64),
                                  "launch__occupancy_limit_warps", 64),
                             "launch__occupancy_limit_shared_mem", 64);
  ExpectFires(JudgedBy("occupancy_block_size", blocks));
}

TEST(KernelCauses, SmallGrid) {
  ExpectFires(JudgedBy("small_grid", SmallGridMetrics()));
  EXPECT_FALSE(JudgedBy("small_grid", SmallGridMetrics()).diagnosis->time_ratio.has_value());
  EXPECT_EQ(Found(SmallGridMetrics()), std::vector<std::string_view>{"small_grid"});
  ExpectSilent(JudgedBy("small_grid", With(SmallGridMetrics(), kWaves, 3)));
  ExpectSilent(JudgedBy("small_grid", With(SmallGridMetrics(), "sm__cycles_active.avg", 100'000)));
  ExpectAbstains(JudgedBy("small_grid", {{kCompute, 10}}));
}

TEST(KernelCauses, TailAndImbalance) {
  const MetricValues tail = {
      {kWaves, 1.25}, {"sm__cycles_active.avg", 600},  {"sm__cycles_active.max", 1000}, {kCompute, 40},
      {kMemory, 20},  {"sm__cycles_elapsed.max", 1000}};
  ExpectFires(JudgedBy("tail_wave", tail));
  ExpectSilent(JudgedBy("tail_wave", With(tail, kWaves, 1.95)));
  ExpectSilent(JudgedBy("tail_wave", With(tail, "sm__cycles_active.avg", 980)));
  ExpectAbstains(JudgedBy("tail_wave", Without(tail, "sm__cycles_elapsed.max")));

  const MetricValues uneven = With(tail, kWaves, 12);
  ExpectFires(JudgedBy("block_imbalance", uneven));
  EXPECT_NEAR(*JudgedBy("block_imbalance", uneven).diagnosis->time_ratio, 0.6, 1e-9);
  ExpectSilent(JudgedBy("block_imbalance", With(uneven, "sm__cycles_active.avg", 900)));
  ExpectAbstains(JudgedBy("block_imbalance", Without(uneven, "sm__cycles_active.max")));
}

TEST(KernelCauses, LatencyAndBarriers) {
  ExpectFires(JudgedBy("latency_bound", WaitingMetrics()));
  EXPECT_EQ(Found(WaitingMetrics()), std::vector<std::string_view>{"latency_bound"});
  ExpectSilent(JudgedBy("latency_bound", With(WaitingMetrics(), kIssue, 0.8)));
  ExpectSilent(JudgedBy("latency_bound", With(WaitingMetrics(), kDram, 70)));
  ExpectAbstains(JudgedBy("latency_bound", {{kCompute, 10}}));

  const MetricValues barrier = With(WaitingMetrics(), StallMetric("barrier"), 60);
  ExpectFires(JudgedBy("barrier_stall", barrier));
  ExpectSilent(JudgedBy("barrier_stall", With(barrier, StallMetric("long_scoreboard"), 90)));
  ExpectAbstains(JudgedBy("barrier_stall", {{kCompute, 10}}));
}

TEST(KernelCauses, Spills) {
  const MetricValues spills = {{"derived__local_spilling_requests", 1e6}, {"derived__local_spilling_requests_pct", 40}};
  ExpectFires(JudgedBy("register_spill", spills));
  ExpectSilent(JudgedBy("register_spill", With(spills, "derived__local_spilling_requests_pct", 2)));
  ExpectSilent(JudgedBy("register_spill", {{"derived__local_spilling_requests", 0}}));
  ExpectAbstains(JudgedBy("register_spill", {{kCompute, 10}}));
  ExpectFires(
      JudgedBy("register_spill", {{"smsp__inst_executed_op_local_ld.sum", 10}, {"smsp__inst_executed.sum", 100}}));
}

TEST(KernelCauses, Roofs) {
  const MetricValues dram = {
      {kCompute, 24}, {kMemory, 71.9}, {kDram, 71.9}, {"lts__throughput.avg.pct_of_peak_sustained_elapsed", 82.8}};
  ExpectFires(JudgedBy("dram_bound", dram));
  ExpectSilent(JudgedBy("cache_bound", dram));
  ExpectSilent(JudgedBy("compute_bound", dram));
  ExpectSilent(JudgedBy("dram_bound", With(dram, kDram, 30)));
  ExpectFires(JudgedBy("cache_bound", With(dram, kDram, 30)));
  ExpectAbstains(JudgedBy("dram_bound", {{kWaves, 3}}));
}

TEST(KernelCauses, ImpossibleSharesAreNotJudged) {
  model::testing::TraceBuilder builder;
  AddProfile(builder.trace(), "k", model::testing::TraceBuilder::DefaultConfig(), 1000,
             With(AtRoofMetrics(), kCompute, 140));
  MissingMetrics missing;
  const auto kernels = JudgeKernels(builder.trace(), &missing);
  EXPECT_TRUE(kernels.at(0).measured_wrongly);
  EXPECT_TRUE(kernels.at(0).diagnoses.empty());
}

}  // namespace
}  // namespace warpscope::rules::testing
