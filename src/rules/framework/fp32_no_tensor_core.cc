// fp32_no_tensor_core: matrix products, convolutions or attention computed in plain float32 on a device whose tensor
// cores would do them many times faster. Trigger: kernels whose names say so (simt, sgemm, ffma), replayed at the speed
// of the faster format. Must not claim: anything about kernels that already run in TF32, bf16 or fp16; about products
// that are bound by memory (the bytes are a floor where shapes are known); nor that the result stays accurate enough.
#include "rules/build.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::KernelCategory;
using analysis::Precision;
using analysis::WhatIf;

constexpr double kMinSharePct = 2;
// What of the ratio of peaks is reached in practice: docs/whatif.md, "precision" (0.5 to 1).
constexpr double kLowFraction = 0.5, kPointFraction = 0.7;
// Convolutions gain half of that: float32 ones run algorithms of fewer operations (Winograd, FFT), and channels-first
// tensors must be turned for the tensor cores.
constexpr double kConvolutionRatio = 0.5;
constexpr double kShortestProductNs =
    4'000;  // small products wait for memory and for their own start, not for arithmetic

bool PlainFp32(const Context& c, uint32_t row) {
  const analysis::KernelClass& kernel = c.index.kernel_class(row);
  if (kernel.category != KernelCategory::kGemm && kernel.category != KernelCategory::kConvolution &&
      kernel.category != KernelCategory::kAttention) {
    return false;
  }
  if (kernel.tensor_core || kernel.triton) return false;
  // Memory-efficient attention in float32 works on the tensor cores, in three TF32 products.
  if (kernel.category == KernelCategory::kAttention && !kernel.simt) return false;
  if (kernel.precision != Precision::kFp32 && !(kernel.simt && kernel.precision == Precision::kUnknown)) return false;
  // Matrix-vector products, reductions of partial sums and depthwise convolutions are bound by memory, not arithmetic.
  return !ContainsAny(c.trace.GpuName(row), {"gemv", "splitK", "split_k_reduce", "dot_kernel", "depthwise", "c1_k1",
                                             "__half", "bfloat16", "f16f16", "double"});
}

struct Target {
  double old_flops, new_flops;
  double bytes_ratio;  // element size, new over old
  std::optional<double> bandwidth;
};

WhatIf Change(const Context& c, const std::vector<KernelGroup>& groups, const Target& target, double fraction,
              ShapeCache& shapes) {
  WhatIf change;
  PerName convolution(c.trace, [](std::string_view name) { return Contains(name, "conv"); });
  for (const KernelGroup& group : groups) {
    for (const uint32_t row : group.rows) {
      const bool convolves =
          c.index.kernel_class(row).category == KernelCategory::kConvolution || UnderOperator(c, row, convolution);
      const double reached = convolves ? fraction * kConvolutionRatio : fraction;
      const double speedup = std::max(1.0, target.new_flops / target.old_flops * reached);
      const double old_ns = static_cast<double>(c.trace.gpu.dur_ns[row]);
      double ns = old_ns / speedup;
      const GemmShape* gemm = shapes.Gemm(row);
      if (gemm != nullptr && target.bandwidth)
        ns = std::max(ns, gemm->bytes() * target.bytes_ratio / *target.bandwidth * 1e9);
      ns = std::min(old_ns, std::max(ns, kShortestProductNs));
      change.SetGpuDuration(row, static_cast<int64_t>(ns));
    }
  }
  return change;
}

// The smallest change first: the prediction is of that one.
void Advise(Finding& finding, bool tf32, std::string_view half) {
  if (tf32) {
    finding.actions.push_back({"Keep float32 tensors and let products use TF32 (10 bits of mantissa): one line.",
                               "torch.set_float32_matmul_precision(\"high\")\ntorch.backends.cudnn.allow_tf32 = True"});
  }
  const std::string type = half == "bf16" ? "torch.bfloat16" : "torch.float16";
  finding.actions.push_back(
      {(tf32 ? "Or compute products in " : "Compute products in ") + std::string(half) + " under autocast" +
           (half == "bf16" ? "; the weights stay float32." : " with a gradient scaler; the weights stay float32."),
       "with torch.autocast(\"cuda\", dtype=" + type + "):\n    loss = model(x)"});
  finding.actions.push_back({"In CUDA C++: ask the library for tensor-core arithmetic.",
                             tf32 ? "cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);"
                                  : "cublasGemmEx(..., CUDA_R_16F, ..., CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);"});
}

void AddRate(const Context& c, const std::vector<KernelGroup>& groups, double peak, ShapeCache& shapes,
             Finding& finding) {
  double flops = 0, ns = 0;
  for (const KernelGroup& group : groups) {
    for (const uint32_t row : group.rows) {
      if (const GemmShape* gemm = shapes.Gemm(row))
        flops += gemm->flops(), ns += static_cast<double>(c.trace.gpu.dur_ns[row]);
    }
  }
  if (flops <= 0 || ns <= 0) return;
  finding.evidence.push_back({"they reach " + Count(flops / ns / 1e3) + " TFLOP/s; float32 ends at " +
                                  Count(peak / 1e12) + " TFLOP/s on this device",
                              c.Query("ops --by shape")});
}

Outcome Evaluate(const Context& c) {
  const auto groups = GroupKernels(c, [&](uint32_t row) { return PlainFp32(c, row); });
  const int64_t total_ns = TotalNs(groups);
  if (groups.empty() || c.SharePct(total_ns) < kMinSharePct) return Clean();
  const auto peaks = MainPeaks(c);
  if (!peaks) {
    return Abstain("the recording does not say which GPU it is from, so the gain of its tensor cores is unknown",
                   "a recording with device properties (torch.profiler writes them)");
  }
  const auto old_flops = PeakFlops(*peaks, Precision::kFp32);
  const auto half_flops = PeakFlops(*peaks, Precision::kHalf);
  if (!peaks->tensor_cores || !old_flops || !half_flops) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const auto tf32_flops = PeakFlops(*peaks, Precision::kTf32);
  const std::string_view half = peaks->bf16_tflops ? "bf16" : "fp16";
  const Target to_half{*old_flops, *half_flops, 0.5, UsableBandwidth(peaks)};
  const Target to_tf32{*old_flops, tf32_flops.value_or(*half_flops), tf32_flops ? 1.0 : 0.5, UsableBandwidth(peaks)};
  ShapeCache shapes(c);

  Finding finding;
  finding.subject = analysis::ShortKernelName(c.trace.Text(groups.front().name));
  finding.share_pct = c.SharePct(total_ns);
  finding.title = "Matrix products run in plain float32 for " + Pct(*finding.share_pct) +
                  " of the step: the tensor cores are not used";
  finding.evidence.push_back({ListKernels(c, groups) + " compute on the ordinary float32 units", c.Query("kernels")});
  finding.evidence.push_back({"this device does " + Count(*old_flops / 1e12) + " TFLOP/s in float32 and " +
                                  Count(*half_flops / 1e12) + " in " + std::string(half) + " on its tensor cores" +
                                  (peaks->estimated ? " (estimated from its capability)" : ""),
                              c.Query("kernels")});
  AddRate(c, groups, *old_flops, shapes, finding);
  if (tf32_flops) {
    const auto autocast = c.Predict(Change(c, groups, to_half, kPointFraction, shapes), analysis::Side::kGpu);
    const auto first = c.Predict(Change(c, groups, to_tf32, kPointFraction, shapes), analysis::Side::kGpu);
    if (autocast && first && Ms(autocast->step_ms_after) != Ms(first->step_ms_after))
      finding.evidence.push_back({"the gain is that of TF32; in " + std::string(half) + " a step should take about " +
                                      Ms(autocast->step_ms_after),
                                  c.Query("analyze")});
  }
  Advise(finding, tf32_flops.has_value(), half);
  finding.verify =
      "Record again: kernel names should say tf32, bf16 or fp16 (nvjet, tensorop, hmma), not simt, sgemm or ffma.";
  finding.confidence = peaks->estimated ? Confidence::kMedium : Confidence::kHigh;
  finding.change = Change(c, groups, to_tf32, kPointFraction, shapes);
  const WhatIf low = Change(c, groups, to_tf32, kLowFraction, shapes);
  const WhatIf high = Change(c, groups, to_half, 1.0, shapes);
  return Conclude(c, std::move(finding), analysis::Side::kGpu, &low, &high);
}

}  // namespace

extern const Rule kFp32NoTensorCoreRule;
const Rule kFp32NoTensorCoreRule = {
    "fp32_no_tensor_core",
    Layer::kFramework,
    Dimension::kCompute,
    Breadth::kSpecific,
    Evaluate,
    "Modern GPUs have units that only multiply small matrices, the tensor cores. They are many times faster than the "
    "ordinary arithmetic units, but take numbers of fewer bits (bf16, fp16, TF32). Plain float32 cannot use them."};

}  // namespace warpscope::rules
