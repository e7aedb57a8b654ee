// gemm_misaligned: matrix products whose sizes miss the fast kernels. Trigger: 16-bit (or TF32) products with a row
// length that is no multiple of 16 bytes, by recorded shapes, else by the alignment that the kernel's name states.
// Must not claim: a gain for products that already run about as fast as the aligned ones of the same recording.
#include <cmath>

#include "rules/build.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::KernelCategory;
using analysis::Precision;
using analysis::WhatIf;

constexpr double kMinSharePct = 2;
constexpr double kMinFlops = 1e8;  // smaller ones are launch bound, whatever their sizes
constexpr double kPadTo = 64;      // elements; the usual advice

uint32_t ElementBytes(Precision precision) {
  switch (precision) {
    case Precision::kFp16:
    case Precision::kBf16:
    case Precision::kHalf: return 2;
    case Precision::kTf32: return 4;
    case Precision::kFp8:
    case Precision::kInt8: return 1;
    default: return 0;
  }
}

// "..._align1", "aligna2_alignc2": the smallest stated alignment in elements; 0 if the name states none.
uint32_t StatedAlignment(std::string_view name) {
  uint32_t smallest = 0;
  for (size_t at = name.find("align"); at != std::string_view::npos; at = name.find("align", at + 1)) {
    size_t digit = at + 5;
    if (digit < name.size() && (name[digit] == 'a' || name[digit] == 'b' || name[digit] == 'c')) ++digit;
    if (digit >= name.size() || name[digit] < '1' || name[digit] > '9') continue;
    uint32_t value = 0;
    while (digit < name.size() && name[digit] >= '0' && name[digit] <= '9' && value < 1000)
      value = value * 10 + static_cast<uint32_t>(name[digit++] - '0');
    smallest = smallest == 0 ? value : std::min(smallest, value);
  }
  return smallest;
}

bool IsTensorGemm(const Context& c, uint32_t row) {
  const analysis::KernelClass& kernel = c.index.kernel_class(row);
  return kernel.category == KernelCategory::kGemm && ElementBytes(kernel.precision) > 0 && !kernel.simt &&
         !ContainsAny(c.trace.GpuName(row), {"splitK", "gemv", "dot_kernel"});
}

bool MisalignedByName(const Context& c, uint32_t row) {
  const analysis::KernelClass& kernel = c.index.kernel_class(row);
  const uint32_t stated = StatedAlignment(c.trace.GpuName(row));
  return stated > 0 && stated * ElementBytes(kernel.precision) < 16;
}

// Rate of all well-aligned products together, FLOP/s; absent if there are none worth measuring.
std::optional<double> AlignedRate(const Context& c, ShapeCache& shapes) {
  double flops = 0, ns = 0;
  for (const uint32_t row : c.gpu_rows) {
    if (c.trace.gpu.kind[row] != model::GpuKind::kKernel || !IsTensorGemm(c, row)) continue;
    const GemmShape* gemm = shapes.Gemm(row);
    if (gemm == nullptr || gemm->misaligned || gemm->flops() < 1e9) continue;
    flops += gemm->flops();
    ns += static_cast<double>(c.trace.gpu.dur_ns[row]);
  }
  return ns > 0 ? std::optional<double>(flops / ns * 1e9) : std::nullopt;
}

double Padded(double size) { return std::ceil(size / kPadTo) * kPadTo; }

struct Speed {
  std::optional<double> rate;   // FLOP/s where shapes are known
  double ratio_without_shapes;  // new duration over old
};

WhatIf Change(const Context& c, const std::vector<KernelGroup>& groups, const Speed& speed,
              std::optional<double> bandwidth, ShapeCache& shapes) {
  WhatIf change;
  for (const KernelGroup& group : groups) {
    for (const uint32_t row : group.rows) {
      const double old_ns = static_cast<double>(c.trace.gpu.dur_ns[row]);
      double ns = old_ns * speed.ratio_without_shapes;
      const GemmShape* gemm = shapes.Gemm(row);
      if (gemm != nullptr && speed.rate) {
        const double growth = Padded(gemm->n) / gemm->n * Padded(gemm->k) / gemm->k;
        ns = gemm->flops() * growth / *speed.rate * 1e9;
        if (bandwidth) ns = std::max(ns, gemm->bytes() / *bandwidth * 1e9);
      }
      change.SetGpuDuration(row, static_cast<int64_t>(std::min(old_ns, std::max(ns, 1.0 * kShortestKernelNs))));
    }
  }
  return change;
}

std::string SizeText(const GemmShape& gemm) {
  std::string text = Count(gemm.m) + " x " + Count(gemm.k) + " times " + Count(gemm.k) + " x " + Count(gemm.n);
  if (gemm.batch > 1) text = Count(gemm.batch) + " products of " + text;
  return text;
}

Outcome Evaluate(const Context& c) {
  ShapeCache shapes(c);
  bool by_shape = false;
  const auto groups = GroupKernels(c, [&](uint32_t row) {
    const KernelCategory category = c.index.kernel_class(row).category;
    if (category != KernelCategory::kGemm) return false;
    const GemmShape* gemm = shapes.Gemm(row);
    if (gemm == nullptr) return IsTensorGemm(c, row) && MisalignedByName(c, row);
    const uint32_t bytes = gemm->element_bytes;
    const bool found = gemm->misaligned &&
                       (bytes == 1 || bytes == 2 || c.index.kernel_class(row).precision == Precision::kTf32) &&
                       gemm->flops() >= kMinFlops;
    by_shape |= found;
    return found;
  });
  const int64_t total_ns = TotalNs(groups);
  if (groups.empty() || c.SharePct(total_ns) < kMinSharePct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const auto peaks = MainPeaks(c);
  const double peak = peaks ? PeakFlops(*peaks, Precision::kHalf).value_or(0) : 0;
  const auto aligned = AlignedRate(c, shapes);
  const auto usual = peak > 0 ? std::optional<double>(0.6 * peak) : std::nullopt;
  const uint32_t first = groups.front().rows.front();

  Finding finding;
  finding.subject = ShortName(c, first);
  finding.share_pct = c.SharePct(total_ns);
  finding.title =
      "Matrix sizes miss the fast kernels: odd-sized products take " + Pct(*finding.share_pct) + " of the step";
  if (const GemmShape* gemm = shapes.Gemm(first)) {
    const double rate = gemm->flops() / static_cast<double>(std::max<int64_t>(c.trace.gpu.dur_ns[first], 1)) / 1e3;
    finding.evidence.push_back({SizeText(*gemm) + ": rows of " + std::to_string(gemm->element_bytes) +
                                    "-byte elements do not start at multiples of 16 bytes; it reaches " + Count(rate) +
                                    " TFLOP/s",
                                c.Query("ops --by shape")});
  }
  finding.evidence.push_back(
      {ListKernels(c, groups) + (by_shape ? "" : ": their names state a narrow alignment"), c.Query("kernels")});
  if (aligned)
    finding.evidence.push_back(
        {"aligned products in this recording reach " + Count(*aligned / 1e12) + " TFLOP/s", c.Query("ops --by shape")});
  finding.actions.push_back(
      {"Pad the odd size (vocabulary, hidden width, number of classes) to a multiple of 8, better 64; mask or cut what "
       "was added.",
       "vocabulary = (vocabulary + 63) // 64 * 64   # 50257 -> 50304"});
  finding.actions.push_back(
      {"In CUDA C++: give every matrix a leading dimension that is a multiple of 16 bytes.",
       "int ld = (columns + 7) / 8 * 8;  // 16-bit elements\ncublasGemmEx(..., A, CUDA_R_16BF, ld, ...);"});
  finding.verify =
      "Record again: the kernel names change (nvjet, align8) and the products reach the rate of the others.";
  finding.confidence = by_shape ? (aligned ? Confidence::kHigh : Confidence::kMedium) : Confidence::kLow;
  const auto rate = aligned ? aligned : usual;
  const Speed point{rate, 0.5};
  const Speed low{rate ? std::optional<double>(*rate * 0.6) : std::nullopt, 0.85};
  const Speed high{rate ? std::optional<double>(std::max(*rate, 0.75 * peak)) : std::nullopt, 0.25};
  const auto bandwidth = UsableBandwidth(peaks);
  finding.change = Change(c, groups, point, bandwidth, shapes);
  const WhatIf low_change = Change(c, groups, low, bandwidth, shapes);
  const WhatIf high_change = Change(c, groups, high, bandwidth, shapes);
  return Conclude(c, std::move(finding), analysis::Side::kGpu, &low_change, &high_change);
}

}  // namespace

extern const Rule kGemmMisalignedRule;
const Rule kGemmMisalignedRule = {
    "gemm_misaligned",
    Layer::kFramework,
    Dimension::kCompute,
    Breadth::kSpecific,
    Evaluate,
    "Tensor cores are fed with loads of 16 bytes. If a matrix row starts elsewhere, because its length is odd, the "
    "library must take a kernel with narrow loads, which is several times slower. A few more rows or columns are "
    "cheaper."};

}  // namespace warpscope::rules
