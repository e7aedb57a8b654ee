#include "analysis/roofline_recipes.h"

namespace warpscope::analysis {
namespace {

using enum FlopKind;
using enum CountedBy;

// clang-format off
constexpr FlopRecipe kFlopRecipes[] = {
    {kFp64, kInstructions, {{{"smsp__sass_thread_inst_executed_op_dadd_pred_on", 1}, {"smsp__sass_thread_inst_executed_op_dmul_pred_on", 1}, {"smsp__sass_thread_inst_executed_op_dfma_pred_on", 2}}}},
    {kFp64, kInstructions, {{{"sm__sass_thread_inst_executed_op_dadd_pred_on", 1}, {"sm__sass_thread_inst_executed_op_dmul_pred_on", 1}, {"sm__sass_thread_inst_executed_op_dfma_pred_on", 2}}}},
    {kFp64, kInstructions, {{{"SQ_INSTS_VALU_ADD_F64", 64}, {"SQ_INSTS_VALU_MUL_F64", 64}, {"SQ_INSTS_VALU_FMA_F64", 128}, {"SQ_INSTS_VALU_TRANS_F64", 64}}}},
    {kFp32, kInstructions, {{{"smsp__sass_thread_inst_executed_op_fadd_pred_on", 1}, {"smsp__sass_thread_inst_executed_op_fmul_pred_on", 1}, {"smsp__sass_thread_inst_executed_op_ffma_pred_on", 2}}}},
    {kFp32, kInstructions, {{{"sm__sass_thread_inst_executed_op_fadd_pred_on", 1}, {"sm__sass_thread_inst_executed_op_fmul_pred_on", 1}, {"sm__sass_thread_inst_executed_op_ffma_pred_on", 2}}}},
    {kFp32, kInstructions, {{{"SQ_INSTS_VALU_ADD_F32", 64}, {"SQ_INSTS_VALU_MUL_F32", 64}, {"SQ_INSTS_VALU_FMA_F32", 128}, {"SQ_INSTS_VALU_TRANS_F32", 64}}}},
    {kFp16, kInstructions, {{{"smsp__sass_thread_inst_executed_op_hadd_pred_on", 2}, {"smsp__sass_thread_inst_executed_op_hmul_pred_on", 2}, {"smsp__sass_thread_inst_executed_op_hfma_pred_on", 4}}}},
    {kFp16, kInstructions, {{{"sm__sass_thread_inst_executed_op_hadd_pred_on", 2}, {"sm__sass_thread_inst_executed_op_hmul_pred_on", 2}, {"sm__sass_thread_inst_executed_op_hfma_pred_on", 4}}}},
    {kFp16, kInstructions, {{{"SQ_INSTS_VALU_ADD_F16", 64}, {"SQ_INSTS_VALU_MUL_F16", 64}, {"SQ_INSTS_VALU_FMA_F16", 128}, {"SQ_INSTS_VALU_TRANS_F16", 64}}}},
    {kFp64, kPipeInstructions, {{{"smsp__thread_inst_executed_pipe_fp64_pred_on", 2}}}},
    {kFp64, kPipeInstructions, {{{"sm__thread_inst_executed_pipe_fp64_pred_on", 2}}}},
    {kFp32, kPipeInstructions, {{{"smsp__thread_inst_executed_pipe_fma_pred_on", 2}, {"smsp__thread_inst_executed_pipe_fma_type_fp16_pred_on", -2}}}},
    {kFp32, kPipeInstructions, {{{"sm__thread_inst_executed_pipe_fma_pred_on", 2}, {"sm__thread_inst_executed_pipe_fma_type_fp16_pred_on", -2}}}},
    {kFp32, kPipeInstructions, {{{"smsp__thread_inst_executed_pipe_fma_pred_on", 2}}}},
    {kFp32, kPipeInstructions, {{{"sm__thread_inst_executed_pipe_fma_pred_on", 2}}}},
    {kFp16, kPipeInstructions, {{{"smsp__thread_inst_executed_pipe_fma_type_fp16_pred_on", 4}}}},
    {kFp16, kPipeInstructions, {{{"sm__thread_inst_executed_pipe_fma_type_fp16_pred_on", 4}}}},
    {kFp16, kPipeInstructions, {{{"smsp__thread_inst_executed_pipe_fp16_pred_on", 4}}}},
    {kFp16, kPipeInstructions, {{{"sm__thread_inst_executed_pipe_fp16_pred_on", 4}}}},
    {kFp64, kPipeInstructions, {{{"sm__inst_executed_pipe_fp64", 64}}}},
    {kFp64, kPipeInstructions, {{{"smsp__inst_executed_pipe_fp64", 64}}}},
    {kFp32, kPipeInstructions, {{{"sm__inst_executed_pipe_fma", 64}, {"sm__inst_executed_pipe_fma_type_fp16", -64}}}},
    {kFp32, kPipeInstructions, {{{"smsp__inst_executed_pipe_fma", 64}, {"smsp__inst_executed_pipe_fma_type_fp16", -64}}}},
    {kFp32, kPipeInstructions, {{{"sm__inst_executed_pipe_fma", 64}}}},
    {kFp32, kPipeInstructions, {{{"smsp__inst_executed_pipe_fma", 64}}}},
    {kFp16, kPipeInstructions, {{{"sm__inst_executed_pipe_fma_type_fp16", 128}}}},
    {kFp16, kPipeInstructions, {{{"smsp__inst_executed_pipe_fma_type_fp16", 128}}}},
    {kFp16, kPipeInstructions, {{{"sm__inst_executed_pipe_fp16", 128}}}},
    {kFp16, kPipeInstructions, {{{"smsp__inst_executed_pipe_fp16", 128}}}},
    {kTensorFp64, kTensorOps, {{{"sm__ops_path_tensor_src_fp64", 1}}}},
    {kTensorTf32, kTensorOps, {{{"sm__ops_path_tensor_src_tf32_dst_fp32", 1}}}},
    {kTensorTf32, kTensorOps, {{{"sm__ops_path_tensor_src_tf32_dst_fp32_sparsity_off", 1}, {"sm__ops_path_tensor_src_tf32_dst_fp32_sparsity_on", 1}}}},
    {kTensorTf32, kTensorOps, {{{"sm__ops_path_tensor_op_hmma_src_tf32_dst_fp32_sparsity_off", 1}, {"sm__ops_path_tensor_op_hmma_src_tf32_dst_fp32_sparsity_on", 1}, {"sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32_sparsity_off", 1}, {"sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32_sparsity_on", 1}}}},
    {kTensorTf32, kTensorOps, {{{"sm__ops_path_tensor_op_hmma_src_tf32_dst_fp32", 1}, {"sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32", 1}}}},
    {kTensorBf16, kTensorOps, {{{"sm__ops_path_tensor_src_bf16_dst_fp32", 1}}}},
    {kTensorBf16, kTensorOps, {{{"sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_off", 1}, {"sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_on", 1}}}},
    {kTensorBf16, kTensorOps, {{{"sm__ops_path_tensor_op_hmma_src_bf16_dst_fp32_sparsity_off", 1}, {"sm__ops_path_tensor_op_hmma_src_bf16_dst_fp32_sparsity_on", 1}, {"sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off", 1}, {"sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_on", 1}}}},
    {kTensorBf16, kTensorOps, {{{"sm__ops_path_tensor_op_hmma_src_bf16_dst_fp32", 1}, {"sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32", 1}}}},
    {kTensorFp16, kTensorOps, {{{"sm__ops_path_tensor_src_fp16", 1}}}},
    {kTensorFp16, kTensorOps, {{{"sm__ops_path_tensor_src_fp16_sparsity_off", 1}, {"sm__ops_path_tensor_src_fp16_sparsity_on", 1}}}},
    {kTensorFp8, kTensorOps, {{{"sm__ops_path_tensor_src_fp8", 1}}}},
    {kTensorFp8, kTensorOps, {{{"sm__ops_path_tensor_src_fp8_sparsity_off", 1}, {"sm__ops_path_tensor_src_fp8_sparsity_on", 1}}}},
    {kTensorInt8, kTensorOps, {{{"sm__ops_path_tensor_src_int8", 1}}}},
    {kTensorInt8, kTensorOps, {{{"sm__ops_path_tensor_src_int8_sparsity_off", 1}, {"sm__ops_path_tensor_src_int8_sparsity_on", 1}}}},
    {kTensorInt8, kTensorOps, {{{"sm__ops_path_tensor_op_imma_src_int8_sparsity_off", 1}, {"sm__ops_path_tensor_op_imma_src_int8_sparsity_on", 1}, {"sm__ops_path_tensor_op_igmma_src_int8_sparsity_off", 1}, {"sm__ops_path_tensor_op_igmma_src_int8_sparsity_on", 1}}}},
    {kTensorInt8, kTensorOps, {{{"sm__ops_path_tensor_op_imma_src_int8", 1}, {"sm__ops_path_tensor_op_igmma_src_int8", 1}}}},
    {kTensorFp64, kTensorOps, {{{"SQ_INSTS_VALU_MFMA_MOPS_F64", 512}}}},
    {kTensorFp32, kTensorOps, {{{"SQ_INSTS_VALU_MFMA_MOPS_F32", 512}}}},
    {kTensorBf16, kTensorOps, {{{"SQ_INSTS_VALU_MFMA_MOPS_BF16", 512}}}},
    {kTensorFp16, kTensorOps, {{{"SQ_INSTS_VALU_MFMA_MOPS_F16", 512}}}},
    {kTensorInt8, kTensorOps, {{{"SQ_INSTS_VALU_MFMA_MOPS_I8", 512}}}},
};

constexpr RoofRecipe kFlopRoofRecipes[] = {
    {kFp64, "sm__sass_thread_inst_executed_op_dfma_pred_on", 2},
    {kFp64, "smsp__sass_thread_inst_executed_op_dfma_pred_on", 2},
    {kFp64, "sm__inst_executed_pipe_fp64", 64},
    {kFp64, "smsp__inst_executed_pipe_fp64", 64},
    {kFp32, "sm__sass_thread_inst_executed_op_ffma_pred_on", 2},
    {kFp32, "smsp__sass_thread_inst_executed_op_ffma_pred_on", 2},
    {kFp32, "sm__inst_executed_pipe_fma", 64},
    {kFp32, "smsp__inst_executed_pipe_fma", 64},
    {kFp16, "sm__sass_thread_inst_executed_op_hfma_pred_on", 4},
    {kFp16, "smsp__sass_thread_inst_executed_op_hfma_pred_on", 4},
    {kTensorFp64, "sm__ops_path_tensor_src_fp64", 1},
    {kTensorTf32, "sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32_sparsity_off", 1},
    {kTensorTf32, "sm__ops_path_tensor_src_tf32_dst_fp32_sparsity_off", 1},
    {kTensorTf32, "sm__ops_path_tensor_src_tf32_dst_fp32", 0.5},
    {kTensorBf16, "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off", 1},
    {kTensorBf16, "sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_off", 1},
    {kTensorBf16, "sm__ops_path_tensor_src_bf16_dst_fp32", 0.5},
    {kTensorFp16, "sm__ops_path_tensor_op_hgmma_src_fp16_sparsity_off", 1},
    {kTensorFp16, "sm__ops_path_tensor_src_fp16_sparsity_off", 1},
    {kTensorFp16, "sm__ops_path_tensor_src_fp16", 0.5},
    {kTensorFp8, "sm__ops_path_tensor_src_fp8_sparsity_off", 1},
    {kTensorFp8, "sm__ops_path_tensor_src_fp8", 0.5},
    {kTensorInt8, "sm__ops_path_tensor_op_igmma_src_int8_sparsity_off", 1},
    {kTensorInt8, "sm__ops_path_tensor_src_int8_sparsity_off", 1},
    {kTensorInt8, "sm__ops_path_tensor_src_int8", 0.5},
};

constexpr ByteRecipe kByteRecipes[] = {
    {RoofLevel::kDram, {{{"dram__bytes", 1}}}},
    {RoofLevel::kDram, {{{"dram__bytes_read", 1}, {"dram__bytes_write", 1}}}},
    {RoofLevel::kDram, {{{"dram__sectors", 32}}}},
    {RoofLevel::kDram, {{{"dram__sectors_read", 32}, {"dram__sectors_write", 32}}}},
    {RoofLevel::kDram, {{{"fbpa__dram_read_bytes", 1}, {"fbpa__dram_write_bytes", 1}}}},
    {RoofLevel::kDram, {{{"memory_read_bytes", 1}, {"memory_write_bytes", 1}}}},
    {RoofLevel::kL2, {{{"derived__lts__lts2xbar_bytes", 1}}}},
    {RoofLevel::kL2, {{{"lts__lts2xbar_cycles_active", 32}}}},
    {RoofLevel::kL2, {{{"lts__t_bytes", 1}}}},
    {RoofLevel::kL2, {{{"lts__t_sectors", 32}}}},
    {RoofLevel::kL2, {{{"TCP_TCC_READ_REQ_sum", 64}, {"TCP_TCC_WRITE_REQ_sum", 64}, {"TCP_TCC_ATOMIC_WITH_RET_REQ_sum", 64}, {"TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum", 64}}}},
    {RoofLevel::kL1, {{{"derived__l1tex__lsu_writeback_bytes_mem_lgds", 1}}}},
    {RoofLevel::kL1, {{{"l1tex__lsu_writeback_active_mem_lgds", 128}}}},
    {RoofLevel::kL1, {{{"l1tex__lsu_writeback_active", 128}}}},
    {RoofLevel::kL1, {{{"l1tex__t_bytes", 1}}}},
    {RoofLevel::kL1, {{{"TCP_TOTAL_CACHE_ACCESSES_sum", 64}}}},
};

constexpr std::string_view kFmaPipes[] = {"sm__inst_executed_pipe_fma", "smsp__inst_executed_pipe_fma",
                                          "sm__pipe_fma_cycles_active",
                                          "TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime"};
constexpr std::string_view kFp64Pipes[] = {"sm__inst_executed_pipe_fp64", "sm__pipe_fp64_cycles_active",
                                           "TPC.TriageCompute.sm__pipe_fp64_cycles_active_realtime"};
constexpr std::string_view kDmmaPipes[] = {"sm__pipe_tensor_op_dmma_cycles_active",
                                           "SM_C.TriageCompute.smsp__pipe_tensor_op_dmma_cycles_active"};
constexpr std::string_view kImmaPipes[] = {"sm__pipe_tensor_op_imma_cycles_active",
                                           "TPC.TriageCompute.sm__pipe_tensor_op_imma_cycles_active_realtime"};
constexpr std::string_view kHmmaPipes[] = {"sm__pipe_tensor_op_hmma_cycles_active",
                                           "sm__inst_executed_pipe_tensor_op_hmma",
                                           "TPC.TriageCompute.sm__pipe_tensor_op_hmma_cycles_active_realtime",
                                           "sm__inst_executed_pipe_tensor", "sm__pipe_tensor_cycles_active"};
constexpr PipeRecipe kPipeRecipes[] = {
    {kFp32, kFmaPipes},
    {kFp64, kFp64Pipes},
    {kTensorFp64, kDmmaPipes},
    {kTensorInt8, kImmaPipes},
};

constexpr std::string_view kDramShares[] = {
    "dram__bytes.sum.pct_of_peak_sustained_elapsed",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "FBSP.TriageCompute.dramc__throughput.avg.pct_of_peak_sustained_elapsed",
};

constexpr MeasuredRoof kMeasuredRoofs[] = {
    {"measured peak HBMBw", kCount, RoofLevel::kDram, RoofSource::kMeasured},
    {"measured peak L2Bw", kCount, RoofLevel::kL2, RoofSource::kMeasured},
    {"measured peak L1Bw", kCount, RoofLevel::kL1, RoofSource::kMeasured},
    {"measured peak FP64Flops", kFp64, RoofLevel::kCount, RoofSource::kMeasured},
    {"measured peak FP32Flops", kFp32, RoofLevel::kCount, RoofSource::kMeasured},
    {"measured peak FP16Flops", kFp16, RoofLevel::kCount, RoofSource::kMeasured},
    {"measured peak MFMAF64Flops", kTensorFp64, RoofLevel::kCount, RoofSource::kMeasured},
    {"measured peak MFMAF32Flops", kTensorFp32, RoofLevel::kCount, RoofSource::kMeasured},
    {"measured peak MFMABF16Flops", kTensorBf16, RoofLevel::kCount, RoofSource::kMeasured},
    {"measured peak MFMAF16Flops", kTensorFp16, RoofLevel::kCount, RoofSource::kMeasured},
    {"measured peak MFMAI8Ops", kTensorInt8, RoofLevel::kCount, RoofSource::kMeasured},
    {"memory bandwidth, data sheet", kCount, RoofLevel::kDram, RoofSource::kDataSheet},
};
// clang-format on

}  // namespace

std::span<const FlopRecipe> FlopRecipes() { return kFlopRecipes; }
std::span<const RoofRecipe> FlopRoofRecipes() { return kFlopRoofRecipes; }
std::span<const ByteRecipe> ByteRecipes() { return kByteRecipes; }
std::span<const PipeRecipe> PipeRecipes() { return kPipeRecipes; }
std::span<const std::string_view> HalfTensorPipes() { return kHmmaPipes; }
std::span<const std::string_view> DramShares() { return kDramShares; }
std::span<const MeasuredRoof> MeasuredRoofs() { return kMeasuredRoofs; }

}  // namespace warpscope::analysis
