// The family and number format of a kernel, from its name. Lists are ordered: the first word found decides.
#include <algorithm>
#include <array>
#include <string>

#include "analysis/kernel_name.h"

namespace warpscope::analysis {
namespace {

bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }
bool StartsWith(std::string_view text, std::string_view word) { return text.substr(0, word.size()) == word; }

struct CategoryWord {
  std::string_view word;  // lower case
  KernelCategory category;
};

constexpr CategoryWord kCategoryWords[] = {
    // Optimizers first: their functors carry names of elementwise operations.
    {"fusedoptimizer", KernelCategory::kOptimizer},
    {"fusedadam", KernelCategory::kOptimizer},
    {"fusedsgd", KernelCategory::kOptimizer},
    {"fusedadagrad", KernelCategory::kOptimizer},
    {"multi_tensor_apply", KernelCategory::kOptimizer},
    {"adam_kernel", KernelCategory::kOptimizer},
    {"rowwise_adagrad", KernelCategory::kIndexing},
    {"rotary", KernelCategory::kElementwise},
    {"rope_", KernelCategory::kElementwise},
    {"split_embedding", KernelCategory::kIndexing},
    // Attention before matrix products and softmax, which it contains.
    {"flash_fwd", KernelCategory::kAttention},
    {"flash_bwd", KernelCategory::kAttention},
    {"flash_attn", KernelCategory::kAttention},
    {"flashattn", KernelCategory::kAttention},
    {"flashinfer", KernelCategory::kAttention},
    {"fmha", KernelCategory::kAttention},
    {"sdpa", KernelCategory::kAttention},
    {"attn_fwd", KernelCategory::kAttention},
    {"attn_bwd", KernelCategory::kAttention},
    {"attention_kernel", KernelCategory::kAttention},
    {"paged_attention", KernelCategory::kAttention},
    {"unified_attention", KernelCategory::kAttention},
    {"batchdecodewithpagedkv", KernelCategory::kAttention},
    {"batchprefill", KernelCategory::kAttention},
    {"compute_dot_do_o", KernelCategory::kAttention},
    {"convert_dq_to_16bits", KernelCategory::kAttention},
    {"flex_attention", KernelCategory::kAttention},
    {"_attention_", KernelCategory::kAttention},
    {"reshape_and_cache", KernelCategory::kIndexing},
    {"store_kvcache", KernelCategory::kIndexing},
    // Norms.
    {"batch_norm", KernelCategory::kNorm},
    {"batchnorm", KernelCategory::kNorm},
    {"bn_fw", KernelCategory::kNorm},
    {"bn_bw", KernelCategory::kNorm},
    {"layer_norm", KernelCategory::kNorm},
    {"layernorm", KernelCategory::kNorm},
    {"rmsnorm", KernelCategory::kNorm},
    {"rms_norm", KernelCategory::kNorm},
    {"group_norm", KernelCategory::kNorm},
    {"groupnorm", KernelCategory::kNorm},
    {"instance_norm", KernelCategory::kNorm},
    {"gammabetabackward", KernelCategory::kNorm},
    {"rowwisemoments", KernelCategory::kNorm},
    {"cudnn::norm", KernelCategory::kNorm},
    {"ln_fwd", KernelCategory::kNorm},
    {"ln_bwd", KernelCategory::kNorm},
    {"welford", KernelCategory::kNorm},
    // Softmax and losses.
    {"softmax", KernelCategory::kSoftmax},
    {"nll_loss", KernelCategory::kSoftmax},
    {"classnllcriterion", KernelCategory::kSoftmax},
    {"cross_entropy", KernelCategory::kSoftmax},
    // Layouts before convolutions: cuDNN's transposes carry cudnn in their name.
    {"nchwtonhwc", KernelCategory::kLayout},
    {"nhwctonchw", KernelCategory::kLayout},
    {"nchw2nhwc", KernelCategory::kLayout},
    {"nhwc2nchw", KernelCategory::kLayout},
    {"nchwtofolded", KernelCategory::kLayout},
    {"foldedtonchw", KernelCategory::kLayout},
    {"nhwctofoldednhwc", KernelCategory::kLayout},
    {"nhwcaddpadding", KernelCategory::kLayout},
    {"im2col", KernelCategory::kLayout},
    {"col2im", KernelCategory::kLayout},
    {"transpose_readwrite", KernelCategory::kLayout},
    {"transpose_kernel", KernelCategory::kLayout},
    {"transposekernel", KernelCategory::kLayout},
    {"batch_transpose", KernelCategory::kLayout},
    {"catarraybatchedcopy", KernelCategory::kLayout},
    {"constant_pad", KernelCategory::kLayout},
    {"permute_2d", KernelCategory::kIndexing},
    {"subtensoropkernel", KernelCategory::kLayout},
    // Convolutions before matrix products: most are implicit ones.
    {"fprop", KernelCategory::kConvolution},
    {"dgrad", KernelCategory::kConvolution},
    {"wgrad", KernelCategory::kConvolution},
    {"implicit_gemm", KernelCategory::kConvolution},
    {"implicit_convolve", KernelCategory::kConvolution},
    {"explicit_convolve", KernelCategory::kConvolution},
    {"precomputed_convolve", KernelCategory::kConvolution},
    {"convolve", KernelCategory::kConvolution},
    {"scudnn", KernelCategory::kConvolution},
    {"hcudnn", KernelCategory::kConvolution},
    {"884cudnn", KernelCategory::kConvolution},
    {"1688cudnn", KernelCategory::kConvolution},
    {"winograd", KernelCategory::kConvolution},
    {"fft2d", KernelCategory::kConvolution},
    {"fft1d", KernelCategory::kConvolution},
    {"flip_filter", KernelCategory::kConvolution},
    {"conv2d", KernelCategory::kConvolution},
    {"conv3d", KernelCategory::kConvolution},
    {"convolution", KernelCategory::kConvolution},
    {"conv_depthwise", KernelCategory::kConvolution},
    {"igemm_", KernelCategory::kConvolution},
    {"miopen", KernelCategory::kConvolution},
    {"computeoffsetskernel", KernelCategory::kConvolution},
    {"computeboffsets", KernelCategory::kConvolution},
    {"computewgrad", KernelCategory::kConvolution},
    {"kern_precompute_indices", KernelCategory::kConvolution},
    {"pointwise_mult_and_sum_complex", KernelCategory::kConvolution},
    // Matrix products.
    {"nvjet", KernelCategory::kGemm},
    {"gemm", KernelCategory::kGemm},
    {"gemv", KernelCategory::kGemm},
    {"cijk_", KernelCategory::kGemm},
    {"splitkreduce", KernelCategory::kGemm},
    {"reducesplitk", KernelCategory::kGemm},
    {"dot_kernel", KernelCategory::kGemm},
    {"reduce_1block_kernel", KernelCategory::kGemm},
    {"cublaslt", KernelCategory::kGemm},
    {"matmul", KernelCategory::kGemm},
    {"wvsplitk", KernelCategory::kGemm},
    {"scal_kernel", KernelCategory::kElementwise},
    {"triton_tem_fused", KernelCategory::kGemm},
    {"triton_mm", KernelCategory::kGemm},
    {"triton_bmm", KernelCategory::kGemm},
    // The rest.
    {"pool", KernelCategory::kPooling},
    {"dropout", KernelCategory::kRandom},
    {"distribution_elementwise", KernelCategory::kRandom},
    {"curand", KernelCategory::kRandom},
    {"philox", KernelCategory::kRandom},
    {"randperm", KernelCategory::kRandom},
    {"indexselect", KernelCategory::kIndexing},
    {"index_elementwise", KernelCategory::kIndexing},
    {"indexfunc", KernelCategory::kIndexing},
    {"index_put", KernelCategory::kIndexing},
    {"indexing_backward", KernelCategory::kIndexing},
    {"gather_kernel", KernelCategory::kIndexing},
    {"scatter", KernelCategory::kIndexing},
    {"embedding", KernelCategory::kIndexing},
    {"krn_partial", KernelCategory::kIndexing},
    {"compute_grad_weight", KernelCategory::kIndexing},
    {"compute_num_of_partial", KernelCategory::kIndexing},
    {"sum_and_scatter", KernelCategory::kIndexing},
    {"radixsort", KernelCategory::kIndexing},
    {"radix_sort", KernelCategory::kIndexing},
    {"mergesort", KernelCategory::kIndexing},
    {"bitonicsort", KernelCategory::kIndexing},
    {"sort", KernelCategory::kIndexing},
    {"topk", KernelCategory::kIndexing},
    {"routing", KernelCategory::kIndexing},
    {"deviceselect", KernelCategory::kIndexing},
    {"devicecompact", KernelCategory::kIndexing},
    {"permute", KernelCategory::kIndexing},
    {"fillfunctor", KernelCategory::kMemory},
    {"_copy_kernel_cuda", KernelCategory::kMemory},
    {"copy_device_to_device", KernelCategory::kMemory},
    {"scalepackedtensor", KernelCategory::kElementwise},
    {"reduce_kernel", KernelCategory::kReduction},
    {"devicereduce", KernelCategory::kReduction},
    {"devicescan", KernelCategory::kReduction},
    {"scan_impl", KernelCategory::kReduction},
    {"tensor_kernel_scan", KernelCategory::kReduction},
    {"triton_red_", KernelCategory::kReduction},
    {"triton_per_", KernelCategory::kReduction},
    {"elementwise", KernelCategory::kElementwise},
    {"triton_poi_", KernelCategory::kElementwise},
    {"pointwise", KernelCategory::kElementwise},
    {"act_and_mul", KernelCategory::kElementwise},
    {"activation", KernelCategory::kElementwise},
    {"op_tensor_kernel", KernelCategory::kElementwise},
    {"reduce", KernelCategory::kReduction},
};

// A strided copy moves data into another layout; a flat one fills, duplicates or casts.
KernelCategory CopyCategory(std::string_view name) {
  const bool flat = Has(name, "vectorized_elementwise_kernel") || Has(name, "unrolled_elementwise_kernel");
  return flat ? KernelCategory::kMemory : KernelCategory::kLayout;
}

// Inductor names say which operators were fused.
KernelCategory TritonCategory(std::string_view name) {
  if (Has(name, "softmax")) return KernelCategory::kSoftmax;
  const bool norm = Has(name, "layer_norm") || Has(name, "batch_norm") || Has(name, "group_norm") ||
                    (Has(name, "rsqrt") && (Has(name, "mean") || Has(name, "var")));
  if (norm) return KernelCategory::kNorm;
  if (Has(name, "_embedding")) return KernelCategory::kIndexing;
  return KernelCategory::kOther;
}

KernelCategory CategoryOf(std::string_view name, std::string_view lower) {
  if (IsCommunicationKernel(name)) return KernelCategory::kCommunication;
  if (Has(lower, "direct_copy_kernel") || Has(lower, "copyfunctor")) return CopyCategory(lower);
  if (StartsWith(lower, "triton_") && !Has(lower, "_tem_fused")) {
    const KernelCategory fused = TritonCategory(lower);
    if (fused != KernelCategory::kOther) return fused;
  }
  for (const CategoryWord& rule : kCategoryWords) {
    if (Has(lower, rule.word)) return rule.category;
  }
  return KernelCategory::kOther;
}

// The element type that appears first in the template arguments: operands come before accumulators and scalars.
// Without template arguments, in the parameter list.
Precision ElementType(std::string_view lower) {
  const size_t close = lower.rfind('>');
  if (close != std::string_view::npos) lower = lower.substr(0, close + 1);
  struct TypeWord {
    std::string_view word;
    Precision precision;
  };
  constexpr TypeWord kTypes[] = {
      {"bfloat16", Precision::kBf16},  {"float8", Precision::kFp8},   {"fp8", Precision::kFp8},
      {"e4m3", Precision::kFp8},       {"e5m2", Precision::kFp8},     {"mxfp4", Precision::kFp4},
      {"c10::half", Precision::kFp16}, {"__half", Precision::kFp16},  {"half_t", Precision::kFp16},
      {"half2", Precision::kFp16},     {"<half", Precision::kFp16},   {"<float", Precision::kFp32},
      {"(float", Precision::kFp32},    {" float", Precision::kFp32},  {"<double", Precision::kFp64},
      {"(double", Precision::kFp64},   {" double", Precision::kFp64}, {"idf16b", Precision::kBf16},
      {"idf16_", Precision::kFp16},
  };
  size_t best = std::string_view::npos;
  Precision precision = Precision::kUnknown;
  for (const TypeWord& type : kTypes) {
    size_t at = lower.find(type.word);
    if (at == std::string_view::npos) continue;
    if (type.word == "<half" && StartsWith(lower.substr(at), "<half_")) continue;
    at += type.word[0] == '<' || type.word[0] == '(' || type.word[0] == ' ' ? 1 : 0;
    if (at < best) {
      best = at;
      precision = type.precision;
    }
  }
  return precision;
}

struct Arithmetic {
  Precision precision = Precision::kUnknown;
  bool tensor_core = false, simt = false;
};

// nvjet_sm90_tst_...: operand, accumulator and result type as letters; always tensor cores.
Arithmetic NvjetArithmetic(std::string_view lower) {
  Arithmetic out;
  out.tensor_core = true;
  const size_t sm = lower.find("_sm");
  const size_t types = sm == std::string_view::npos ? sm : lower.find('_', sm + 1);
  if (types == std::string_view::npos || types + 1 >= lower.size()) return out;
  switch (lower[types + 1]) {
    case 't': out.precision = Precision::kBf16; break;
    case 'h': out.precision = Precision::kFp16; break;
    case 's': out.precision = Precision::kTf32; break;
    case 'd': out.precision = Precision::kFp64; break;
    case 'q':
    case 'o': out.precision = Precision::kFp8; break;
    default: break;
  }
  return out;
}

// Cijk_Ailk_Bjlk_BBS_BH_...: the token after the index names begins with the operand type.
Arithmetic TensileArithmetic(std::string_view name) {
  Arithmetic out;
  out.tensor_core = Has(name, "_MI16x") || Has(name, "_MI32x") || Has(name, "_MI4x");
  size_t at = 0;
  for (int underscores = 0; underscores < 3 && at != std::string_view::npos; ++underscores) at = name.find('_', at + 1);
  if (at == std::string_view::npos) return out;
  const std::string_view token = name.substr(at + 1);
  if (StartsWith(token, "F8") || StartsWith(token, "B8")) out.precision = Precision::kFp8;
  else if (StartsWith(token, "I8")) out.precision = Precision::kInt8;
  else if (StartsWith(token, "H")) out.precision = Precision::kFp16;
  else if (StartsWith(token, "B")) out.precision = Precision::kBf16;
  else if (StartsWith(token, "D")) out.precision = Precision::kFp64;
  else if (StartsWith(token, "S")) out.precision = Precision::kFp32;
  return out;
}

// cuBLAS, cutlass and cuDNN names spell operand types and the instruction shape.
Arithmetic LibraryArithmetic(std::string_view lower) {
  const auto has = [&](std::string_view word) { return Has(lower, word); };
  Arithmetic out;
  out.simt = has("_ffma_") || has("simt") || has("scudnn") || has("dfma");
  if (has("e4m3") || has("e5m2") || has("fp8")) return {Precision::kFp8, true, false};
  if (has("imma") || has("i8i8") || has("s8_s8") || has("int8")) return {Precision::kInt8, true, false};
  if (has("tf32")) return {Precision::kTf32, true, false};
  const bool wide = has("tensorop") || has("884") || has("1688") || has("16816") || has("wgmma") ||
                    has("_tensor16x8") || has("warpgroupsize") || has("wmma") || has("hmma");
  if (has("bf16") || has("bfloat16")) return {Precision::kBf16, wide && !out.simt, out.simt};
  if (has("f16") || has("fp16") || has("half") || has("hgemm") || has("h884") || has("h1688") || has("h16816") ||
      has("hcudnn")) {
    return {Precision::kFp16, wide && !out.simt, out.simt};
  }
  if (has("dgemm") || has("f64") || has("d884") || has("zgemm"))
    return {Precision::kFp64, has("d884") || has("tensorop"), out.simt};
  if (has("s884")) return {Precision::kFp16, true, false};  // Volta: its only tensor format
  if (wide && (has("s1688") || has("s16816"))) return {Precision::kTf32, true, false};
  if (has("sgemm") || has("cgemm") || has("scudnn") || out.simt || has("f32f32_f32f32"))
    return {Precision::kFp32, false, true};
  return out;
}

bool IsLibraryGemm(std::string_view lower) {
  for (const std::string_view word : {"cublas", "cutlass", "cudnn", "xmma", "nvjet", "cijk_", "sgemm", "hgemm", "dgemm",
                                      "884gemm", "1688gemm", "16816gemm", "volta_", "ampere_", "turing_", "maxwell_"}) {
    if (Has(lower, word)) return true;
  }
  return false;
}

bool IsProduct(KernelCategory category) {
  return category == KernelCategory::kGemm || category == KernelCategory::kConvolution ||
         category == KernelCategory::kAttention;
}

Arithmetic ArithmeticOf(std::string_view name, std::string_view lower, KernelCategory category) {
  if (Has(lower, "nvjet")) return NvjetArithmetic(lower);
  if (StartsWith(lower, "cijk_")) return TensileArithmetic(name);
  Arithmetic out;
  if (IsProduct(category) && !StartsWith(lower, "triton_")) {
    if (Has(lower, "sdpa") && Has(lower, "_f16_")) return {Precision::kHalf, Has(lower, "mma"), false};
    out = LibraryArithmetic(lower);
    const bool flash = category == KernelCategory::kAttention && (Has(lower, "flash") || Has(lower, "fmha"));
    if (out.precision == Precision::kUnknown) out.precision = ElementType(lower);
    if (flash && (out.precision == Precision::kBf16 || out.precision == Precision::kFp16)) out.tensor_core = true;
    return out;
  }
  out.precision = ElementType(lower);
  return out;
}

}  // namespace

bool IsCommunicationKernel(std::string_view name) {
  return StartsWith(name, "nccl") || StartsWith(name, "rccl") || StartsWith(name, "void nccl") ||
         StartsWith(name, "mscclpp") || Has(name, "ncclDevKernel") || Has(name, "ncclKernel") ||
         Has(name, "cross_device_reduce") || Has(name, "multimem_all_reduce") || Has(name, "one_shot_all_reduce") ||
         Has(name, "two_shot_all_reduce") || Has(name, "nvshmem") || Has(name, "allreduce_fusion_kernel") ||
         StartsWith(name, "hcom_") || StartsWith(name, "oneccl_");
}

KernelClass ClassifyKernel(std::string_view name) {
  std::string lower(name.substr(0, 4096));
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  // Words that contain others by accident.
  for (const std::string_view word : {"fbgemm", "fp8kvcachedatatype"}) {
    for (size_t at = lower.find(word); at != std::string::npos; at = lower.find(word)) lower.erase(at, word.size());
  }
  KernelClass out;
  out.category = CategoryOf(name, lower);
  out.triton = StartsWith(lower, "triton_");
  const Arithmetic arithmetic = ArithmeticOf(name, lower, out.category);
  out.precision = arithmetic.precision;
  out.tensor_core = arithmetic.tensor_core;
  out.simt = arithmetic.simt;
  out.library_gemm = IsProduct(out.category) && IsLibraryGemm(lower);
  return out;
}

std::string_view KernelCategoryName(KernelCategory category) {
  constexpr std::array<std::string_view, 15> kNames = {
      "other",     "gemm",   "convolution", "attention", "elementwise", "reduction",     "norm",  "softmax",
      "optimizer", "layout", "indexing",    "pooling",   "random",      "communication", "memory"};
  return kNames[static_cast<size_t>(category)];
}

std::string_view PrecisionName(Precision precision) {
  constexpr std::array<std::string_view, 10> kNames = {"unknown", "fp64",      "fp32", "tf32", "fp16",
                                                       "bf16",    "fp16/bf16", "fp8",  "fp4",  "int8"};
  return kNames[static_cast<size_t>(precision)];
}

}  // namespace warpscope::analysis
