#include "analysis/roofline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::testing::TraceBuilder;
using Metrics = std::vector<std::pair<std::string, double>>;

// 1 ms at 1 GHz on two of everything; the numbers are round, so that results are exact.
Metrics Base() {
  return {{"sm__cycles_elapsed.avg.per_second", 1e9},
          {"smsp__cycles_elapsed.avg.per_second", 1e9},
          {"dram__cycles_elapsed.avg.per_second", 2e9},
          {"lts__cycles_elapsed.avg.per_second", 1e9},
          {"l1tex__cycles_elapsed.avg.per_second", 1e9},
          {"dram__bytes.sum.peak_sustained", 1000},
          {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", 10000}};
}
Metrics With(Metrics metrics, const Metrics& more) {
  metrics.insert(metrics.end(), more.begin(), more.end());
  return metrics;
}

void AddProfile(model::Trace& trace, std::string_view name, int64_t dur_ns, const Metrics& metrics) {
  model::KernelProfile profile;
  profile.name = trace.strings.Intern(name);
  profile.device = 0;
  profile.dur_ns = dur_ns;
  profile.metric_begin = static_cast<uint32_t>(trace.metrics.size());
  for (const auto& [metric, value] : metrics)
    trace.metrics.push_back({trace.strings.Intern(metric), model::kNoString, value});
  profile.metric_end = static_cast<uint32_t>(trace.metrics.size());
  trace.kernel_profiles.push_back(profile);
}

Roofline Of(const Metrics& metrics, std::string_view name = "k", std::string_view device = "") {
  TraceBuilder b;
  b.device().name = device;
  AddProfile(b.trace(), name, 1'000'000, metrics);
  const Index index(b.Finish());
  return RooflineOfCounters(index, {});
}
PlaceResult PlaceOfOnly(const Roofline& roofline, RoofLevel level = RoofLevel::kDram,
                        std::optional<FlopKind> kind = std::nullopt) {
  return PlaceOf(roofline.points.at(0), level, kind);
}

TEST(Roofline, CountsInstructionsAndTakesThePeaksOfTheReport) {
  const Roofline roofline =
      Of(With(Base(), {{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed", 100},
                       {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed", 50},
                       {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed", 25},
                       {"dram__bytes.sum.per_second", 1e12}}));
  const auto result = PlaceOfOnly(roofline);
  ASSERT_TRUE(result.place.has_value()) << result.reason;
  EXPECT_DOUBLE_EQ(result.place->flops_per_s, 200e9);  // a multiply-add is two
  EXPECT_DOUBLE_EQ(*result.place->intensity, 0.2);
  EXPECT_DOUBLE_EQ(*result.place->ridge, 20e12 / 2e12);
  EXPECT_TRUE(*result.place->memory_side);
  EXPECT_DOUBLE_EQ(*result.place->roof_flops_per_s, 0.2 * 2e12);
  EXPECT_DOUBLE_EQ(*result.place->roof_pct, 50);
  EXPECT_EQ(roofline.points[0].rates.flop_roofs[static_cast<size_t>(FlopKind::kFp32)]->source, RoofSource::kReport);
}

TEST(Roofline, BeyondTheRidgeArithmeticIsTheRoof) {
  const auto result = PlaceOfOnly(Of(With(Base(), {{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 0},
                                                   {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0},
                                                   {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 5e9},
                                                   {"dram__bytes_read.sum", 3e6},
                                                   {"dram__bytes_write.sum", 1e6}})));
  ASSERT_TRUE(result.place.has_value()) << result.reason;
  EXPECT_DOUBLE_EQ(result.place->flops_per_s, 10e12);  // 1e10 in a millisecond
  EXPECT_DOUBLE_EQ(result.place->bytes_per_s, 4e9);
  EXPECT_FALSE(*result.place->memory_side);
  EXPECT_DOUBLE_EQ(*result.place->roof_pct, 50);
}

TEST(Roofline, NextToNoTrafficGivesNoIntensity) {
  const Roofline roofline = Of(With(Base(), {{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 0},
                                             {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0},
                                             {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 5e9},
                                             {"dram__bytes.sum.per_second", 1e6}}));  // of 2 TB/s
  const auto result = PlaceOfOnly(roofline);
  ASSERT_TRUE(result.place.has_value()) << result.reason;
  EXPECT_FALSE(result.place->intensity.has_value());
  EXPECT_EQ(result.place->memory_side, false);
  EXPECT_DOUBLE_EQ(*result.place->roof_pct, 50);  // of the arithmetic, which holds at any intensity
}

TEST(Roofline, TensorOperationsCountAgainstTheDensePeak) {
  // The peak of all operations is that of sparse operands: half of it is the roof.
  const auto roofline = Of(With(Base(), {{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 1e12},
                                         {"sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained", 4e6},
                                         {"smsp__thread_inst_executed_pipe_fma_pred_on.sum", 1e6},
                                         {"dram__bytes.sum", 1e6}}));
  const auto result = PlaceOfOnly(roofline);
  ASSERT_TRUE(result.place.has_value()) << result.reason;
  EXPECT_EQ(result.place->kind, FlopKind::kTensorBf16);
  EXPECT_DOUBLE_EQ(result.place->flops_per_s, 1e15);
  EXPECT_DOUBLE_EQ(*result.place->roof_pct, 50);
  // The other kind on request; instructions of a pipe are no exact count.
  const auto fp32 = PlaceOfOnly(roofline, RoofLevel::kDram, FlopKind::kFp32);
  ASSERT_TRUE(fp32.place.has_value());
  EXPECT_DOUBLE_EQ(fp32.place->flops_per_s, 2e9);
  EXPECT_TRUE(roofline.points[0].rates.flops[static_cast<size_t>(FlopKind::kFp32)]->at_most());
  EXPECT_FALSE(roofline.points[0].rates.flops[static_cast<size_t>(FlopKind::kTensorBf16)]->at_most());
}

TEST(Roofline, AnUpperBoundBeyondTheRidgeLeavesTheSideOpen) {
  const Metrics pipe = {{"smsp__thread_inst_executed_pipe_fma_pred_on.sum", 1e9}};
  const auto right = PlaceOfOnly(Of(With(With(Base(), pipe), {{"dram__bytes.sum", 1e6}})));
  ASSERT_TRUE(right.place.has_value());
  EXPECT_FALSE(right.place->memory_side.has_value());
  EXPECT_FALSE(right.place->roof_pct.has_value());
  // Left of it fewer FLOP lie on the same side, and bytes set the share.
  const auto left = PlaceOfOnly(Of(With(With(Base(), pipe), {{"dram__bytes.sum", 1e9}})));
  EXPECT_TRUE(left.place->memory_side.value_or(false));
  EXPECT_DOUBLE_EQ(*left.place->roof_pct, 50);
}

TEST(Roofline, ExactCountsGoBeforePipes) {
  const auto roofline = Of(With(Base(), {{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1e6},
                                         {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0},
                                         {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0},
                                         {"smsp__thread_inst_executed_pipe_fma_pred_on.sum", 9e6},
                                         {"sm__inst_executed_pipe_fma.sum", 9e5},
                                         {"dram__bytes.sum", 1e6}}));
  const auto& fp32 = roofline.points[0].rates.flops[static_cast<size_t>(FlopKind::kFp32)];
  EXPECT_EQ(fp32->by, CountedBy::kInstructions);
  EXPECT_DOUBLE_EQ(fp32->per_s, 1e9);
}

TEST(Roofline, ConstantsLoadedByHalfInstructionsAreNoArithmetic) {
  const Metrics halves = {{"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", 0},
                          {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", 0},
                          {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 1e6},
                          {"sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained", 10000},
                          {"dram__bytes.sum", 1e6}};
  const Metrics adds = {{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1e6},
                        {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0},
                        {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0}};
  EXPECT_EQ(PlaceOfOnly(Of(With(Base(), halves))).place->kind, FlopKind::kFp16);
  EXPECT_EQ(PlaceOfOnly(Of(With(With(Base(), halves), adds))).place->kind, FlopKind::kFp32);
  // However near their own peak they come: no more than the floats beside them.
  const Metrics near_peak = {{"sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained", 100}};
  EXPECT_EQ(PlaceOfOnly(Of(With(With(With(Base(), halves), adds), near_peak))).place->kind, FlopKind::kFp32);
}

TEST(Roofline, EachLevelHasItsOwnBytesAndRoof) {
  const auto roofline = Of(With(Base(), {{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1e9},
                                         {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0},
                                         {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0},
                                         {"dram__bytes.sum", 1e8},
                                         {"lts__lts2xbar_cycles_active.sum", 1e7},
                                         {"lts__lts2xbar_cycles_active.sum.peak_sustained", 100},
                                         {"l1tex__lsu_writeback_active_mem_lgds.sum", 1e7},
                                         {"l1tex__lsu_writeback_active_mem_lgds.sum.peak_sustained", 100}}));
  const auto l2 = PlaceOfOnly(roofline, RoofLevel::kL2), l1 = PlaceOfOnly(roofline, RoofLevel::kL1);
  EXPECT_DOUBLE_EQ(l2.place->bytes_per_s, 320e9);
  EXPECT_DOUBLE_EQ(*l2.place->roof_pct, 10);  // 32 bytes x 100 x 1 GHz
  EXPECT_DOUBLE_EQ(l1.place->bytes_per_s, 1280e9);
  EXPECT_DOUBLE_EQ(*l1.place->roof_pct, 10);
}

TEST(Roofline, AbstainsWithTheReason) {
  const auto no_flops = PlaceOfOnly(Of(With(Base(), {{"dram__bytes.sum", 1e8}})));
  EXPECT_FALSE(no_flops.place.has_value());
  EXPECT_NE(no_flops.reason.find("does not count floating-point"), std::string::npos);
  // An idle fp64 pipe says nothing about the others.
  const auto idle = PlaceOfOnly(Of(With(Base(), {{"dram__bytes.sum", 1e8}, {"sm__inst_executed_pipe_fp64.sum", 0}})));
  EXPECT_FALSE(idle.place.has_value());
  const Metrics adds = {{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1e6},
                        {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0},
                        {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0}};
  const auto no_bytes = PlaceOfOnly(Of(With(Base(), adds)));
  EXPECT_FALSE(no_bytes.place.has_value());
  EXPECT_NE(no_bytes.reason.find("bytes at dram"), std::string::npos);
  // Busy matrix units of which the report counts nothing: a place from the rest would be wrong by orders.
  const auto tensor = PlaceOfOnly(
      Of(With(With(Base(), adds), {{"dram__bytes.sum", 1e8},
                                   {"sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_elapsed", 60}})));
  EXPECT_FALSE(tensor.place.has_value());
  EXPECT_NE(tensor.reason.find("matrix units"), std::string::npos);
  const auto no_kind =
      PlaceOfOnly(Of(With(With(Base(), adds), {{"dram__bytes.sum", 1e8}})), RoofLevel::kDram, FlopKind::kFp64);
  EXPECT_NE(no_kind.reason.find("fp64"), std::string::npos);
}

TEST(Roofline, ABusierPipeThanTheMatrixUnitsIsThePlace) {
  const auto result =
      PlaceOfOnly(Of(With(Base(), {{"dram__bytes.sum", 1e6},
                                   {"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed", 88},
                                   {"sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_elapsed", 2.8}}),
                     "k", "NVIDIA H200"));
  ASSERT_TRUE(result.place.has_value()) << result.reason;
  EXPECT_EQ(result.place->kind, FlopKind::kFp64);
}

TEST(Roofline, WithoutArithmeticMemoryIsTheRoof) {
  const auto result = PlaceOfOnly(Of(With(Base(), {{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 0},
                                                   {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0},
                                                   {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0},
                                                   {"dram__bytes.sum.per_second", 1e12}})));
  ASSERT_TRUE(result.place.has_value()) << result.reason;
  EXPECT_DOUBLE_EQ(*result.place->intensity, 0);
  EXPECT_TRUE(*result.place->memory_side);
  EXPECT_DOUBLE_EQ(*result.place->roof_pct, 50);
}

TEST(Roofline, DataSheetWhereTheReportHasNoPeaks) {
  const Metrics metrics = {{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1e9},
                           {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0},
                           {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0},
                           {"dram__bytes.sum", 2.4e9}};
  const auto roofline = Of(metrics, "k", "NVIDIA H200");
  EXPECT_DOUBLE_EQ(*PlaceOfOnly(roofline).place->roof_pct, 50);
  EXPECT_EQ(roofline.points[0].rates.byte_roofs[0]->source, RoofSource::kDataSheet);
  const auto unknown = PlaceOfOnly(Of(metrics));
  EXPECT_FALSE(unknown.place->roof_pct.has_value());
  EXPECT_FALSE(unknown.place->memory_side.has_value());
}

TEST(Roofline, AmdCountersAndMeasuredPeaks) {
  TraceBuilder b;
  AddProfile(b.trace(), "k", 1'000'000,
             {{"SQ_INSTS_VALU_ADD_F32", 1e6},
              {"SQ_INSTS_VALU_MUL_F32", 0},
              {"SQ_INSTS_VALU_FMA_F32", 2e6},
              {"SQ_INSTS_VALU_TRANS_F32", 0},
              {"SQ_INSTS_VALU_MFMA_MOPS_F16", 0},
              {"memory_read_bytes", 6e8},
              {"memory_write_bytes", 4e8}});
  model::Reading reading;
  reading.device = 0;
  reading.name = b.trace().strings.Intern("measured peak HBMBw");
  reading.value = 2000;
  b.trace().readings.push_back(reading);
  reading.name = b.trace().strings.Intern("measured peak FP32Flops");
  reading.value = 20000;
  b.trace().readings.push_back(reading);
  const Index index(b.Finish());
  const auto result = PlaceOf(RooflineOfCounters(index, {}).points.at(0), RoofLevel::kDram);
  ASSERT_TRUE(result.place.has_value()) << result.reason;
  EXPECT_DOUBLE_EQ(result.place->flops_per_s, 64 * 5e6 * 1e3);
  EXPECT_DOUBLE_EQ(*result.place->roof_pct, 50);
}

TEST(Roofline, HostileNumbersAreAbsent) {
  const auto result = PlaceOfOnly(Of({{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", -1},
                                      {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", INFINITY},
                                      {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", NAN},
                                      {"dram__bytes.sum", 1}}));
  EXPECT_FALSE(result.place.has_value());
}

TEST(Roofline, TheTimelineWeighs) {
  TraceBuilder b;
  const Metrics metrics = With(Base(), {{"dram__bytes.sum", 1e8}});
  AddProfile(b.trace(), "rare", 1'000'000, metrics);
  AddProfile(b.trace(), "often", 1'000, metrics);
  for (int i = 0; i < 3; ++i) b.AddKernel("often", i * 1000, 300);
  b.AddKernel("rare", 5000, 50);
  b.AddKernel("unprofiled", 6000, 50);
  const Index index(b.Finish());
  const Roofline roofline = RooflineOfCounters(index, {});
  ASSERT_EQ(roofline.points.size(), 2U);
  EXPECT_EQ(index.trace().Text(roofline.points[0].name), "often");
  EXPECT_EQ(roofline.points[0].launch_count, 3U);
  EXPECT_DOUBLE_EQ(*roofline.points[0].share_pct, 90);
  EXPECT_DOUBLE_EQ(*roofline.covered_pct, 95);
}

TEST(RooflineOfShapes, SumsTheKernelsOfOneCall) {
  TraceBuilder b;
  b.device().name = "NVIDIA H200";
  b.AddOp("aten::mm", 0, 100, "[[1024, 1024], [1024, 1024]]", R"(["c10::BFloat16", "c10::BFloat16"])");
  b.Launch("gemm_bf16", 10, 20, 1000, 8000);
  b.Launch("splitK_reduce", 40, 20, 9000, 2000);
  b.AddOp("aten::sort", 200, 100, "[[10]]", R"(["float"])");
  b.Launch("sort", 210, 20, 12000, 10000);
  const Index index(b.Finish());
  const Roofline roofline = RooflineOfShapes(index, {});
  ASSERT_EQ(roofline.points.size(), 1U);
  const RooflinePoint& point = roofline.points[0];
  EXPECT_EQ(index.trace().Text(point.name), "gemm_bf16");
  EXPECT_EQ(point.operator_name, "aten::mm");
  EXPECT_DOUBLE_EQ(*point.share_pct, 50);
  const auto place = PlaceOf(point, RoofLevel::kDram).place;
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->kind, FlopKind::kTensorBf16);
  EXPECT_DOUBLE_EQ(place->flops_per_s, 2.0 * 1024 * 1024 * 1024 / 10e-6);
  EXPECT_DOUBLE_EQ(*place->intensity, 2.0 * 1024 / (3 * 2));
  EXPECT_EQ(roofline.uncosted, std::vector<std::string_view>{"aten::sort"});
  EXPECT_FALSE(PlaceOf(point, RoofLevel::kL2).place.has_value());
}

}  // namespace
}  // namespace warpscope::analysis
