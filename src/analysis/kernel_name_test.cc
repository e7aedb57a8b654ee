#include "analysis/kernel_name.h"

#include <gtest/gtest.h>

#include <random>

namespace warpscope::analysis {
namespace {

using C = KernelCategory;
using P = Precision;

struct Case {
  const char* name;
  const char* short_name;  // null: not checked
  C category;
  P precision;
  bool tensor_core, simt;
};

const Case kCases[] = {
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctorOnSelf_add<float>, std::array<char*, "
     "2ul> >(int, "
     "at::native::CUDAFunctorOnSelf_add<float>, std::array<char*, 2ul>)",
     "vectorized_elementwise_kernel<4, CUDAFunctorOnSelf_add<float>>", C::kElementwise, P::kFp32, false, false},
    {"void at::native::vectorized_elementwise_kernel<4, "
     "at::native::sin_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::"
     "operator()() const::{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int, float)",
     "vectorized_elementwise_kernel<4, sin_kernel_cuda>", C::kElementwise, P::kFp32, false, false},
    {"void at::native::elementwise_kernel<128, 4, "
     "at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda("
     "at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() "
     "const::{lambda(c10::BFloat16)#1}> >(int)",
     "elementwise_kernel<128, 4, direct_copy_kernel_cuda>", C::kLayout, P::kBf16, false, false},
    {"void "
     "at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#"
     "3}::"
     "operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>, 4 >(int)",
     nullptr, C::kMemory, P::kFp32, false, false},
    {"nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT", "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT", C::kGemm,
     P::kBf16, true, false},
    {"nvjet_sm90_hsh_128x64_64x8_1x2_h_bz_NTT", nullptr, C::kGemm, P::kFp16, true, false},
    {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8_stage3_warpsize4x2x1_ffma_aligna4_alignc4_execute_kernel_"
     "_5x_cublas",
     nullptr, C::kGemm, P::kFp32, false, true},
    {"sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x32_warpgroupsize1x1x1_g1_execute_"
     "segment_k",
     nullptr, C::kConvolution, P::kTf32, true, false},
    {"void "
     "cutlass::Kernel2<cutlass_80_simt_sgemm_128x256_8x4_nt_align1>(cutlass_80_simt_sgemm_128x256_8x4_nt_align1::"
     "Params)",
     "cutlass_80_simt_sgemm_128x256_8x4_nt_align1", C::kGemm, P::kFp32, false, true},
    {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4>(P)", nullptr, C::kGemm, P::kTf32, true,
     false},
    {"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_tn", nullptr, C::kGemm, P::kFp16, true, false},
    {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn", nullptr, C::kGemm, P::kBf16, true, false},
    {"volta_h884gemm_64x128_ldg8_nn", nullptr, C::kGemm, P::kFp16, true, false},
    {"volta_sgemm_128x64_nn", nullptr, C::kGemm, P::kFp32, false, true},
    {"volta_dgemm_64x64_nn", nullptr, C::kGemm, P::kFp64, false, false},
    {"turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn", nullptr, C::kGemm, P::kFp16, true, false},
    {"cutlass_80_tensorop_d884gemm_64x64_16x3_nn_align1", nullptr, C::kGemm, P::kFp64, true, false},
    {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT160x256x64_MI16x16x1_SN", nullptr, C::kGemm, P::kBf16, true,
     false},
    {"Cijk_Ailk_Bljk_HHS_BH_MT64x64x16_SE_K1", nullptr, C::kGemm, P::kFp16, false, false},
    {"Cijk_Ailk_Bjlk_SB_Bias_AS_SAV_UserArgs_MT64x16x16_MI16x16x1", nullptr, C::kGemm, P::kFp32, true, false},
    {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
     "ncclDevKernel_AllReduce_Sum_f32_RING_LL", C::kCommunication, P::kUnknown, false, false},
    {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t> "
     ">(P)",
     nullptr, C::kAttention, P::kBf16, true, false},
    {"cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x128", nullptr, C::kAttention, P::kHalf,
     true, false},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::"
     "FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4>, "
     "double>(int)",
     nullptr, C::kOptimizer, P::kFp32, false, false},
    {"triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_1", nullptr, C::kNorm, P::kUnknown, false, false},
    {"triton_poi_fused_add_cos_sin_0", nullptr, C::kElementwise, P::kUnknown, false, false},
    {"triton_tem_fused_addmm_3", nullptr, C::kGemm, P::kUnknown, false, false},
    {"triton_per_fused__softmax_2", nullptr, C::kSoftmax, P::kUnknown, false, false},
    {"void cudnn::engines_precompiled::nchwToNhwcKernel<float, float, float, false, true, (cudnnKernelDataType_t)0>(P)",
     nullptr, C::kLayout, P::kFp32, false, false},
    {"void at::native::(anonymous namespace)::softmax_warp_forward<c10::Half, float, float, 10, true>(P)", nullptr,
     C::kSoftmax, P::kFp16, false, false},
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<double, at::native::func_wrapper_t<double>>>(P)",
     nullptr, C::kReduction, P::kFp64, false, false},
    {"void fbgemm_gpu::permute_2D_lengths_kernel<int>(int)", nullptr, C::kIndexing, P::kUnknown, false, false},
    {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, float>(int)",
     "kernel<int, int, float, float>", C::kGemm, P::kFp32, false, false},
    {"enable_if<!T7, void>::type kernel<int, int, __nv_bfloat16, 0, P<int, B<const float>>>(T13)",
     "kernel<int, int, __nv_bfloat16, 0, P<int, B<const float>>>", C::kOther, P::kBf16, false, false},
    {"my_kernel(float const*, float*, int)", "my_kernel", C::kOther, P::kFp32, false, false},
    {"my_kernel", "my_kernel", C::kOther, P::kUnknown, false, false},
    {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16EEEvPT0_", nullptr, C::kNorm, P::kBf16, false, false},
};

TEST(KernelName, FamiliesAndNumberFormats) {
  for (const Case& c : kCases) {
    const KernelClass k = ClassifyKernel(c.name);
    EXPECT_EQ(KernelCategoryName(k.category), KernelCategoryName(c.category)) << c.name;
    EXPECT_EQ(PrecisionName(k.precision), PrecisionName(c.precision)) << c.name;
    EXPECT_EQ(k.tensor_core, c.tensor_core) << c.name;
    EXPECT_EQ(k.simt, c.simt) << c.name;
    if (c.short_name != nullptr) {
      EXPECT_EQ(ShortKernelName(c.name, 64), c.short_name);
    }
  }
}

TEST(KernelName, MangledNamesThatCannotBeReadKeepTheirFunction) {
  EXPECT_EQ(ShortKernelName("_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_EXadL_Z4siluIS2_"
                            "ES3_S5_EEEEvPS3_PS4_i"),
            "act_and_mul_kernel");
  EXPECT_EQ(
      ShortKernelName("_ZN17cutlass__5x_cudnn6KernelINS_4conv6kernel23ImplicitGemmConvolutionINS1_11threadblock22Impl"),
      "ImplicitGemmConvolution");
}

TEST(KernelName, LengthIsBoundedAndNothingBreaksIt) {
  std::mt19937 random(3);
  const std::string letters = "ab<>(),:{}#_ ~0Z\xc3\xa9";
  for (int round = 0; round < 50000; ++round) {
    std::string name = round % 3 == 0 ? "_Z" : "";
    const int length = 1 + static_cast<int>(random() % 80);
    for (int i = 0; i < length; ++i) name += letters[random() % letters.size()];
    const std::string text = ShortKernelName(name, 20);
    EXPECT_FALSE(text.empty());
    EXPECT_LE(text.size(), 20U);
    ClassifyKernel(name);
  }
  const std::string deep = std::string(200000, '<') + std::string(200000, '(');
  EXPECT_LE(ShortKernelName(deep).size(), 60U);
  EXPECT_LE(ShortKernelName("f" + std::string(100000, '<') + std::string(100000, '>')).size(), 60U);
}

}  // namespace
}  // namespace warpscope::analysis
