// fp64_promotion: device work computed in double precision. Trigger: kernels whose element type is double (by name, and
// by recorded operand types where there are any). Must not claim: that the program does not need double (only its
// author knows); nor doubles in scalar arguments and accumulators.
#include "rules/build.h"
#include "rules/kernel/counter_join.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::KernelCategory;
using analysis::Precision;
using analysis::WhatIf;

constexpr double kMinSharePct = 2;
// Work bound by memory moves half the bytes in float32. Less is saved by kernels bound by other things, more by those
// bound by double arithmetic.
constexpr double kMemoryLow = 0.7, kMemoryPoint = 0.5, kMemoryHigh = 0.35;

bool IsProduct(const analysis::KernelClass& kernel) {
  return kernel.category == KernelCategory::kGemm || kernel.category == KernelCategory::kConvolution ||
         kernel.category == KernelCategory::kAttention;
}

bool IsFp64(const Context& c, uint32_t row, ShapeCache& shapes) {
  const analysis::KernelClass& kernel = c.index.kernel_class(row);
  if (kernel.precision != Precision::kFp64 || kernel.category == KernelCategory::kCommunication) return false;
  const OpShapes* operands = shapes.Shapes(row);
  if (operands == nullptr || IsProduct(kernel)) return true;
  const bool typed = std::any_of(operands->inputs.begin(), operands->inputs.end(), [](const Operand& operand) {
    return operand.element_bytes > 0 && operand.elements > 0;
  });
  const bool doubles = std::any_of(operands->inputs.begin(), operands->inputs.end(),
                                   [](const Operand& operand) { return operand.precision == Precision::kFp64; });
  return doubles || !typed;
}

struct Ratios {
  double product;  // new duration over old
  double other;
};

WhatIf Change(const Context& c, const std::vector<KernelGroup>& groups, const Ratios& ratios) {
  WhatIf change;
  for (const KernelGroup& group : groups) {
    for (const uint32_t row : group.rows) {
      const int64_t old_ns = c.trace.gpu.dur_ns[row];
      const double ratio = IsProduct(c.index.kernel_class(row)) ? ratios.product : ratios.other;
      const auto ns = static_cast<int64_t>(static_cast<double>(old_ns) * ratio);
      change.SetGpuDuration(row, std::min(old_ns, std::max(ns, kShortestKernelNs)));
    }
  }
  return change;
}

// How much shorter a product gets: float32 at worst, TF32 tensor cores at best.
Ratios ProductRatio(const std::optional<GpuPeaks>& peaks, double fraction, bool tensor) {
  if (!peaks) return {0.5, kMemoryPoint};
  const auto old_flops = PeakFlops(*peaks, Precision::kFp64);
  auto new_flops = PeakFlops(*peaks, Precision::kFp32);
  if (tensor && peaks->tf32_tflops) new_flops = PeakFlops(*peaks, Precision::kTf32);
  if (!old_flops || !new_flops) return {0.5, kMemoryPoint};
  return {std::min(1.0, *old_flops / (*new_flops * fraction)), kMemoryPoint};
}

// From launch data alone, of kernels without counters.
Outcome Guess(const Context& c) {
  ShapeCache shapes(c);
  const auto groups =
      GroupKernels(c, [&](uint32_t row) { return !CountersJudge(c, row, "fp64_promotion") && IsFp64(c, row, shapes); });
  const int64_t total_ns = TotalNs(groups);
  if (groups.empty() || c.SharePct(total_ns) < kMinSharePct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const auto peaks = MainPeaks(c);

  Finding finding;
  finding.subject = analysis::ShortKernelName(c.trace.Text(groups.front().name));
  finding.share_pct = c.SharePct(total_ns);
  finding.title = "Numbers are in double precision for " + Pct(*finding.share_pct) + " of the step";
  finding.evidence.push_back({ListKernels(c, groups) + " work on 64-bit numbers", c.Query("kernels")});
  const std::string place = Place(c, c.trace.gpu.call[groups.front().rows.front()]);
  if (!place.empty()) finding.evidence.push_back({"the longest of them is launched by " + place, c.Query("ops")});
  if (peaks && peaks->fp64_tflops && peaks->fp32_tflops) {
    finding.evidence.push_back({"this device does " + Count(*peaks->fp64_tflops) + " TFLOP/s in double and " +
                                    Count(*peaks->fp32_tflops) + " in float, and a double moves twice the bytes",
                                c.Query("kernels")});
  }
  finding.actions.push_back(
      {"Find where double comes in (numpy arrays, Python constants turned into tensors, .double()) and make "
       "it float32 there, if the accuracy suffices.",
       "x = torch.from_numpy(array).float()\nmean = torch.tensor(values, dtype=torch.float32, device=\"cuda\")"});
  finding.actions.push_back({"In CUDA C++: write constants with f, and use the float functions.",
                             "y = 1.7f * expf(-x * x);  // not 1.7 * exp(-x * x)"});
  finding.verify = "Record again: no kernel name should say double, dgemm or f64.";
  finding.confidence = peaks ? Confidence::kMedium : Confidence::kLow;
  Ratios low = ProductRatio(peaks, 0.7, false), point = ProductRatio(peaks, 0.6, true),
         high = ProductRatio(peaks, 1.0, true);
  low.other = kMemoryLow, high.other = kMemoryHigh;
  low.product = std::max(low.product, point.product);
  finding.change = Change(c, groups, point);
  const WhatIf low_change = Change(c, groups, low);
  const WhatIf high_change = Change(c, groups, high);
  return Conclude(c, std::move(finding), analysis::Side::kGpu, &low_change, &high_change);
}

Outcome Evaluate(const Context& c) { return WithCounters(c, "fp64_promotion", Guess(c)); }

}  // namespace

extern const Rule kFp64PromotionRule;
const Rule kFp64PromotionRule = {"fp64_promotion",
                                 Layer::kFramework,
                                 Dimension::kCompute,
                                 Breadth::kSpecific,
                                 Evaluate,
                                 "A double takes 8 bytes and is slow to compute with on most GPUs; a float takes 4. "
                                 "One double operand (a numpy array "
                                 "is double unless told otherwise) silently turns every later result into double."};

}  // namespace warpscope::rules
