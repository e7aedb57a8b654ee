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
    else EXPECT_FALSE(JudgedBy(cause->id, AtRoofMetrics()).diagnosis.has_value());
  }
  EXPECT_EQ(Found(AtRoofMetrics()), std::vector<std::string_view>{"compute_bound"});
  EXPECT_EQ(JudgedBy("compute_bound", AtRoofMetrics()).diagnosis->waste_ratio, 0);
}

TEST(KernelCauses, BankConflict) {
  const KernelOutcome outcome = JudgedBy("bank_conflict", BankConflictMetrics());
  ExpectFires(outcome);
  EXPECT_NE(outcome.diagnosis->title.find("31-way"), std::string::npos) << outcome.diagnosis->title;
  EXPECT_NEAR(*outcome.diagnosis->time_ratio, 0.060, 0.006);  // the padded kernel took 0.060 of the time
  EXPECT_EQ(Found(BankConflictMetrics()), std::vector<std::string_view>{"bank_conflict"});
  ExpectSilent(JudgedBy("bank_conflict", With(BankConflictMetrics(), "memory_l1_wavefronts_shared", 18'000'000)));
  ExpectAbstains(JudgedBy("bank_conflict", Without(Without(BankConflictMetrics(), "memory_l1_wavefronts_shared"),
                                                   "memory_l1_wavefronts_shared_ideal")));
}

TEST(KernelCauses, Uncoalesced) {
  const KernelOutcome outcome = JudgedBy("uncoalesced", UncoalescedMetrics());
  ExpectFires(outcome);
  EXPECT_NEAR(*outcome.diagnosis->time_ratio, 0.3, 0.08);  // the kernel with coalesced loads took 0.376 of the time
  EXPECT_EQ(Found(UncoalescedMetrics()), std::vector<std::string_view>{"uncoalesced"});
  ExpectSilent(JudgedBy("uncoalesced", With(UncoalescedMetrics(), "memory_l2_theoretical_sectors_global", 9e6)));
  // Waste that something else hides.
  MetricValues busy = With(With(UncoalescedMetrics(), kMemory, 20), kDram, 20);
  busy = With(With(busy, "lts__throughput.avg.pct_of_peak_sustained_elapsed", 20), kIssue, 0.95);
  ExpectSilent(JudgedBy("uncoalesced", With(busy, StallMetric("not_selected"), 4000)));
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
  EXPECT_NEAR(*outcome.diagnosis->time_ratio, 0.165, 0.01);  // an eighth at best
  EXPECT_EQ(Found(DivergenceMetrics()), std::vector<std::string_view>{"divergence"});
  ExpectSilent(JudgedBy("divergence", With(With(With(DivergenceMetrics(), kIssue, 0.1), kCompute, 10), kDram, 92)));
  // Blocks of eight threads have no more to give.
  ExpectSilent(JudgedBy("divergence", With(DivergenceMetrics(), "launch__block_size", 4)));
  ExpectAbstains(
      JudgedBy("divergence", Without(DivergenceMetrics(), "smsp__thread_inst_executed_per_inst_executed.ratio")));
}

TEST(KernelCauses, Occupancy) {
  const KernelOutcome outcome = JudgedBy("occupancy_registers", FewRegistersLeftMetrics());
  ExpectFires(outcome);
  EXPECT_NEAR(*outcome.diagnosis->time_ratio, 0.15, 0.02);  // the kernel with few registers took 0.164 of the time
  EXPECT_EQ(Found(FewRegistersLeftMetrics()), std::vector<std::string_view>{"occupancy_registers"});
  // Low occupancy alone is no cause.
  ExpectSilent(JudgedBy("occupancy_registers", With(FewRegistersLeftMetrics(), kCompute, 85)));
  ExpectSilent(JudgedBy("occupancy_registers",
                        With(With(FewRegistersLeftMetrics(), kIssue, 0.97), StallMetric("not_selected"), 300)));
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
  EXPECT_LT(*JudgedBy("small_grid", SmallGridMetrics()).diagnosis->time_ratio, 0.06);  // 4 of 132 SMs
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
  EXPECT_NEAR(*JudgedBy("block_imbalance", uneven).diagnosis->time_ratio, 0.6, 0.1);
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

// Cut from recordings of an H200: kernels with the flaw, times of which with and without it were measured.
MetricValues WithStalls(MetricValues metrics, std::initializer_list<std::pair<const char*, double>> stalls) {
  for (const auto& [reason, cycles] : stalls) metrics.emplace_back(StallMetric(reason), cycles);
  return metrics;
}
constexpr const char* kXu = "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active";
constexpr const char* kFma = "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active";
constexpr const char* kFfma = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed";
constexpr const char* kFadd = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed";
constexpr const char* kFmul = "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed";
constexpr const char* kExecuted = "smsp__inst_executed.sum";

TEST(KernelCauses, LowIlp) {
  const MetricValues chain =
      WithStalls({{kCompute, 27}, {kIssue, 0.27}, {kFma, 22.5}, {"smsp__warps_active.avg.per_cycle_active", 1}},
                 {{"wait", 2.47}, {"selected", 1}});
  ExpectFires(JudgedBy("low_ilp", chain));
  EXPECT_NEAR(*JudgedBy("low_ilp", chain).diagnosis->time_ratio, 0.40, 0.08);  // four chains took 0.40 of the time
  EXPECT_EQ(Found(chain), std::vector<std::string_view>{"low_ilp"});
  ExpectSilent(JudgedBy("low_ilp", With(chain, kIssue, 0.9)));                        // others fill the time
  ExpectSilent(JudgedBy("low_ilp", With(chain, StallMetric("long_scoreboard"), 9)));  // waits for memory
  ExpectAbstains(JudgedBy("low_ilp", {{kCompute, 27}}));
}

TEST(KernelCauses, Fp64Promotion) {
  const MetricValues doubles = WithStalls(
      {{kCompute, 90},
       {kIssue, 0.51},
       {kXu, 90.7},
       {kFma, 5.9},
       {"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active", 34}},
      {{"mio_throttle", 15.8}, {"short_scoreboard", 3.8}, {"wait", 3.8}, {"not_selected", 3.8}, {"selected", 1}});
  ExpectFires(JudgedBy("fp64_promotion", doubles));
  EXPECT_NEAR(*JudgedBy("fp64_promotion", doubles).diagnosis->time_ratio, 0.32, 0.06);  // in float: 0.32 of the time
  EXPECT_EQ(Found(doubles), std::vector<std::string_view>{"fp64_promotion"});
  // Double throughout: no conversions.
  ExpectSilent(JudgedBy("fp64_promotion", With(doubles, kXu, 0.1)));
  ExpectSilent(
      JudgedBy("fp64_promotion", With(doubles, "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active", 0)));
  ExpectAbstains(JudgedBy("fp64_promotion", {{kCompute, 90}}));
}

TEST(KernelCauses, DivisionsAndSpecialFunctions) {
  const MetricValues functions =
      WithStalls({{kCompute, 83},
                  {kIssue, 0.75},
                  {kXu, 83.8},
                  {kFma, 47.3},
                  {"launch__sm_count", 132},
                  {kFfma, 2000},
                  {kFadd, 3000},
                  {kFmul, 2000},
                  {"smsp__thread_inst_executed_per_inst_executed.ratio", 32}},
                 {{"mio_throttle", 11.4}, {"not_selected", 6.9}, {"wait", 0.6}, {"selected", 1}});
  ExpectFires(JudgedBy("special_function_bound", functions));
  ExpectSilent(JudgedBy("integer_division", functions));
  EXPECT_EQ(Found(functions), std::vector<std::string_view>{"special_function_bound"});
  ExpectSilent(JudgedBy("special_function_bound", With(functions, kXu, 40)));
  ExpectAbstains(JudgedBy("special_function_bound", {{kCompute, 90}}));

  const MetricValues divisions = With(With(With(functions, kFfma, 1), kFadd, 1), kFmul, 1);
  ExpectFires(JudgedBy("integer_division", divisions));
  ExpectSilent(JudgedBy("special_function_bound", divisions));
  EXPECT_EQ(Found(divisions), std::vector<std::string_view>{"integer_division"});
  ExpectSilent(JudgedBy("integer_division", With(divisions, kXu, 5)));
  ExpectAbstains(JudgedBy("integer_division", {{kCompute, 90}}));

  // Hardware counters alone: products of integers keep one half of the pipe busy.
  MetricValues hardware = Without(Without(Without(divisions, kFfma), kFadd), kFmul);
  hardware = With(hardware, "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed", 30);
  ExpectFires(JudgedBy("integer_division",
                       With(hardware, "sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_elapsed", 60)));
  ExpectSilent(JudgedBy("integer_division",
                        With(hardware, "sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_elapsed", 30)));
}

TEST(KernelCauses, ConstantDivergent) {
  const MetricValues table = WithStalls({{kCompute, 72.7},
                                         {kIssue, 0.001},
                                         {kFma, 0.1},
                                         {kExecuted, 2.73e7},
                                         {"idc__requests.sum", 1.34e8},
                                         {"idc__request_cycles_active.avg.pct_of_peak_sustained_elapsed", 72.2},
                                         {"sm__cycles_elapsed.max", 1.99e7},
                                         {"launch__sm_count", 132}},
                                        {{"mio_throttle", 4604}, {"short_scoreboard", 1148}, {"selected", 1}});
  ExpectFires(JudgedBy("constant_divergent", table));
  EXPECT_LT(*JudgedBy("constant_divergent", table).diagnosis->time_ratio, 0.03);  // in shared memory: 0.016
  EXPECT_EQ(Found(table).front(), "constant_divergent");
  ExpectSilent(JudgedBy("constant_divergent", With(table, "idc__requests.sum", 1e6)));
  // Every block fills its table: a small one, whose look-ups hit, or a large one.
  const MetricValues blocks = With(With(table, "launch__grid_size", 40'000), "launch__block_size", 256);
  const KernelOutcome small = JudgedBy("constant_divergent", With(blocks, "idc__request_hit_rate.pct", 99.9));
  const KernelOutcome large = JudgedBy("constant_divergent", With(blocks, "idc__request_hit_rate.pct", 1));
  ExpectFires(small);
  ExpectFires(large);
  EXPECT_GT(*large.diagnosis->time_ratio, 2 * *small.diagnosis->time_ratio);
  // The loads are counted: one place each.
  ExpectSilent(JudgedBy("constant_divergent", With(table, "smsp__inst_executed_op_ldc.sum", 1.3e8)));
  ExpectAbstains(JudgedBy("constant_divergent", {{kCompute, 70}}));
}

TEST(KernelCauses, BarriersAreCounted) {
  // What lies between few barriers stays to be done; with many of them goes what stands around each.
  const MetricValues few = WithStalls({{kCompute, 45},
                                       {kMemory, 2},
                                       {kIssue, 0.45},
                                       {kExecuted, 8e7},
                                       {"launch__sm_count", 132},
                                       {"sm__cycles_active.avg", 350'000},
                                       {"sm__inst_executed_pipe_adu.avg.pct_of_peak_sustained_active", 3.5}},
                                      {{"barrier", 29}, {"wait", 2.1}, {"not_selected", 0.9}, {"selected", 1}});
  const KernelOutcome of_few = JudgedBy("barrier_stall", few);
  ExpectFires(of_few);
  EXPECT_GT(*of_few.diagnosis->time_ratio, 0.42);
  const KernelOutcome of_many =
      JudgedBy("barrier_stall", With(few, "sm__inst_executed_pipe_adu.avg.pct_of_peak_sustained_active", 30));
  EXPECT_LT(*of_many.diagnosis->time_ratio, 0.3);
}

TEST(KernelCauses, InstructionCache) {
  const MetricValues code = WithStalls({{kCompute, 30},
                                        {kIssue, 0.25},
                                        {kExecuted, 1e8},
                                        {"sm__icc_requests.sum", 3e7},
                                        {"sm__icc_request_hit_rate.pct", 40}},
                                       {{"no_instruction", 5.9}, {"wait", 1}, {"selected", 1}});
  ExpectFires(JudgedBy("instruction_cache", code));
  EXPECT_EQ(Found(code), std::vector<std::string_view>{"instruction_cache"});
  ExpectSilent(JudgedBy("instruction_cache", With(code, "sm__icc_request_hit_rate.pct", 99.9)));  // jumps
  ExpectSilent(JudgedBy("instruction_cache", With(code, StallMetric("no_instruction"), 0.2)));
  ExpectAbstains(JudgedBy("instruction_cache", Without(code, "sm__icc_request_hit_rate.pct")));
}

TEST(KernelCauses, NarrowAccess) {
  constexpr const char* kLoads = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
  constexpr const char* kLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
  const MetricValues bytes = WithStalls({{kCompute, 33},
                                         {kMemory, 26},
                                         {kDram, 26},
                                         {kIssue, 0.23},
                                         {kExecuted, 7.56e7},
                                         {kLoads, 6.29e6},
                                         {kLoadSectors, 6.29e6},
                                         {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 6.29e6},
                                         {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 6.29e6}},
                                        {{"long_scoreboard", 63.5}, {"wait", 2.7}, {"selected", 1}});
  ExpectFires(JudgedBy("narrow_access", bytes));
  EXPECT_NEAR(*JudgedBy("narrow_access", bytes).diagnosis->time_ratio, 0.33, 0.07);  // 16 bytes a thread: 0.33
  ExpectSilent(JudgedBy("narrow_access", With(bytes, kLoadSectors, 16 * 6.29e6)));   // wide
  ExpectSilent(JudgedBy("narrow_access",                                             // at the roof
                        With(With(With(bytes, kDram, 93), kMemory, 93), StallMetric("long_scoreboard"), 400)));
  ExpectSilent(JudgedBy("narrow_access", With(With(bytes, kDram, 1), kMemory, 1)));  // hardly any data
  // A sum of two arrays of floats: narrow, but the DRAM sets the pace.
  const MetricValues sum = With(With(With(bytes, kDram, 72), kMemory, 72), kLoadSectors, 4 * 6.29e6);
  ExpectSilent(JudgedBy("narrow_access", sum));
  EXPECT_EQ(Found(sum), (std::vector<std::string_view>{"dram_bound"}));
  ExpectAbstains(JudgedBy("narrow_access", Without(bytes, kLoads)));
}

// A sum of reasons is told with its parts, as the stall table has them.
TEST(KernelCauses, SumsOfStallsNameTheirParts) {
  const MetricValues scattered = WithStalls({{"memory_l2_theoretical_sectors_global", 8e7},
                                             {"memory_l2_theoretical_sectors_global_ideal", 1e7},
                                             {kMemory, 91},
                                             {kDram, 91}},
                                            {{"long_scoreboard", 60}, {"drain", 20}, {"wait", 19}, {"selected", 1}});
  const KernelOutcome outcome = JudgedBy("uncoalesced", scattered);
  ASSERT_TRUE(outcome.diagnosis.has_value());
  bool found = false;
  for (const std::string& text : outcome.diagnosis->evidence)
    found |= text.find("80 % of their time (long_scoreboard 60 %, drain 20 %)") != std::string::npos;
  EXPECT_TRUE(found);
}

TEST(KernelCauses, L2Thrash) {
  const MetricValues passes = WithStalls({{kCompute, 5.6},
                                          {kMemory, 91},
                                          {kDram, 91},
                                          {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed", 42},
                                          {"lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed", 41.8},
                                          {"dram__bytes_read.sum", 2.01e9},
                                          {"dram__bytes_write.sum", 3.4e7},
                                          {"lts__t_sector_op_read_hit_rate.pct", 0.8},
                                          {"profiler__replayer_bytes_mem_accessible.avg", 1.63e9}},
                                         {{"long_scoreboard", 254}, {"wait", 1.2}, {"selected", 1}});
  ExpectFires(JudgedBy("l2_thrash", passes));
  EXPECT_NEAR(*JudgedBy("l2_thrash", passes).diagnosis->time_ratio, 0.45, 0.1);  // in tiles: 0.45 of the time
  // One pass over as much memory as there is.
  ExpectSilent(JudgedBy("l2_thrash", With(passes, "profiler__replayer_bytes_mem_accessible.avg", 2.1e9)));
  ExpectSilent(JudgedBy("l2_thrash", With(passes, "lts__t_sector_op_read_hit_rate.pct", 90)));
  ExpectAbstains(JudgedBy("l2_thrash", Without(passes, "profiler__replayer_bytes_mem_accessible.avg")));
  // The same bytes come again because each sector is moved once for each of its values: one cause, not two.
  const MetricValues scattered = With(With(passes, "memory_l2_theoretical_sectors_global", 8e7),
                                      "memory_l2_theoretical_sectors_global_ideal", 1e7);
  ExpectSilent(JudgedBy("l2_thrash", scattered));
  EXPECT_EQ(Found(scattered), (std::vector<std::string_view>{"uncoalesced"}));
  // Scattered a little, and read again far more often than that explains.
  ExpectFires(JudgedBy("l2_thrash", With(scattered, "profiler__replayer_bytes_mem_accessible.avg", 1e8)));
}

TEST(KernelCauses, AtomicContention) {
  constexpr const char* kRed = "smsp__inst_executed_op_global_red.sum";
  const MetricValues sums = WithStalls({{kCompute, 0.3},
                                        {kMemory, 1.4},
                                        {kIssue, 0.001},
                                        {kExecuted, 3.78e6},
                                        {kRed, 2.6e5},
                                        {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", 2.6e5},
                                        {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", 2.19e6},
                                        {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 2.6e5},
                                        {"lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed", 83}},
                                       {{"long_scoreboard", 4409}, {"lg_throttle", 1353}, {"selected", 1}});
  ExpectFires(JudgedBy("atomic_contention", sums));
  EXPECT_LT(*JudgedBy("atomic_contention", sums).diagnosis->time_ratio, 0.05);
  EXPECT_EQ(Found(sums).front(), "atomic_contention");
  const MetricValues few = With(With(sums, kRed, 100), "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", 100);
  ExpectSilent(JudgedBy("atomic_contention",
                        With(few, "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed", 20)));
  ExpectSilent(JudgedBy("atomic_contention", With(With(sums, kDram, 93), kMemory, 93)));  // spread, behind other work
  // Few, but all to one address: one slice adds, the others hardly, and warps wait to hand theirs in.
  constexpr const char* kSlice = "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed";
  constexpr const char* kSlices = "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed";
  const MetricValues hot = With(With(few, kSlice, 27), kSlices, 0.3);
  ExpectFires(JudgedBy("atomic_contention", hot));
  ExpectSilent(JudgedBy("atomic_contention", With(hot, kSlices, 20)));  // spread over the slices
  ExpectSilent(JudgedBy("atomic_contention", With(hot, StallMetric("lg_throttle"), 100)));
  ExpectAbstains(
      JudgedBy("atomic_contention", Without(Without(sums, kRed), "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum")));
}

TEST(KernelCauses, NoTensorCore) {
  const MetricValues product =
      WithStalls({{kCompute, 68},
                  {kMemory, 72},
                  {kDram, 0.8},
                  {"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", 72},
                  {kIssue, 0.7},
                  {kFma, 43.5},
                  {kExecuted, 4.79e8},
                  {"smsp__sass_inst_executed_op_shared.sum", 4.2e7},
                  {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 8.4e6},
                  {"sm__inst_executed_pipe_fma_type_fp16.avg.pct_of_peak_sustained_elapsed", 2.4}},
                 {{"not_selected", 3.4}, {"barrier", 1}, {"selected", 1}});
  ExpectFires(JudgedBy("no_tensor_core", product));
  EXPECT_NEAR(*JudgedBy("no_tensor_core", product).diagnosis->time_ratio, 0.16, 0.05);
  EXPECT_EQ(Found(product).front(), "no_tensor_core");
  // Factors are float: nothing to move to tensor cores without another number format.
  ExpectSilent(JudgedBy("no_tensor_core",
                        With(product, "sm__inst_executed_pipe_fma_type_fp16.avg.pct_of_peak_sustained_elapsed", 0)));
  ExpectSilent(
      JudgedBy("no_tensor_core", With(product, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 40)));
  ExpectSilent(JudgedBy("no_tensor_core", With(product, "smsp__sass_inst_executed_op_shared.sum", 1000)));
  ExpectAbstains(JudgedBy("no_tensor_core", {{kCompute, 68}}));
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
