// Kernel names: a short form for people, the family a kernel belongs to, and the number format it computes in, all
// from the recorded name alone (CUDA, cuDNN, cuBLAS/cutlass/nvjet, Triton/Inductor, NCCL/RCCL, ROCm Tensile).
// [MT] Pure functions. Unknown stays unknown: a precision is only given when the name says it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpscope::analysis {

enum class KernelCategory : uint8_t {
  kOther,
  kGemm,
  kConvolution,
  kAttention,
  kElementwise,
  kReduction,
  kNorm,       // batch, layer, group, RMS norm
  kSoftmax,    // softmax, log-softmax, cross-entropy
  kOptimizer,  // multi_tensor_apply, fused Adam/SGD ...
  kLayout,     // transposes, NCHW <-> NHWC, copies between layouts, concatenation, padding
  kIndexing,   // embedding, gather, scatter, index, sort, top-k
  kPooling,
  kRandom,         // dropout, random number generation
  kCommunication,  // NCCL, RCCL
  kMemory,         // fills and plain device copies done by a kernel
};

enum class Precision : uint8_t {
  kUnknown,
  kFp64,
  kFp32,
  kTf32,
  kFp16,
  kBf16,
  kHalf /* fp16 or bf16 */,
  kFp8,
  kFp4,
  kInt8
};

struct KernelClass {
  KernelCategory category = KernelCategory::kOther;
  Precision precision = Precision::kUnknown;
  bool tensor_core = false;   // the name says so; false means "not said"
  bool simt = false;          // the name says plain (non tensor core) arithmetic: sgemm, simt, ffma, dgemm
  bool triton = false;        // compiled by Triton / Inductor
  bool library_gemm = false;  // cuBLAS, cutlass, cuDNN, Tensile: not hand-written
};

KernelClass ClassifyKernel(std::string_view name);

// A mangled name as people write it; any other name as it is. A name that cannot be undone (cut off) becomes that of
// its function alone.
std::string DemangledKernelName(std::string_view name);

// Template soup cut to what tells kernels apart: "vectorized_elementwise_kernel<4, CUDAFunctorOnSelf_add<float>>".
// Never empty for a non-empty name; at most `max_chars` bytes (>= 16), the end replaced by ".." if it must be cut.
std::string ShortKernelName(std::string_view name, size_t max_chars = 60);

bool IsCommunicationKernel(std::string_view name);

std::string_view KernelCategoryName(KernelCategory category);  // "gemm", "convolution" ...
std::string_view PrecisionName(Precision precision);           // "fp32", "tf32" ...; "unknown"

}  // namespace warpscope::analysis
