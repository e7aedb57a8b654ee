// device_saturated: kernels run nearly all of the step; what remains to gain is inside them. Trigger: time with kernels
// at least 85 % of the step (without the recorder's cost); copies and communication do not count. Must not claim: a
// gain (nothing was simulated), nor that the kernels are as fast as they can be. The engine puts it first only if no
// other finding gains notably.
#include "analysis/device_time.h"
#include "rules/build.h"
#include "rules/kernel/launch_shapes.h"
#include "rules/kernel/stall_evidence.h"
#include "rules/other_devices.h"
#include "rules/text.h"
#include "rules/too_little.h"

namespace warpscope::rules {
namespace {

using analysis::KernelCategory;
using analysis::Precision;

constexpr double kMinBusyRatio = 0.85;
constexpr double kNearlyAllPct = 93;

// Achieved against possible arithmetic of the products with recorded shapes, per number format.
struct Ceiling {
  double flops = 0, ns = 0;
  std::optional<double> peak;
  double used_ratio() const { return peak && ns > 0 ? flops / ns * 1e9 / *peak : 0; }
};

std::map<Precision, Ceiling> Ceilings(const Context& c, const std::optional<GpuPeaks>& peaks) {
  std::map<Precision, Ceiling> by_precision;
  ShapeCache shapes(c);
  for (const uint32_t row : c.gpu_rows) {
    if (c.trace.gpu.kind[row] != model::GpuKind::kKernel || c.index.kernel_class(row).category != KernelCategory::kGemm)
      continue;
    const GemmShape* gemm = shapes.Gemm(row);
    if (gemm == nullptr) continue;
    const Precision said = c.index.kernel_class(row).precision;
    Ceiling& ceiling = by_precision[said != Precision::kUnknown ? said : gemm->precision];
    ceiling.flops += gemm->flops();
    ceiling.ns += static_cast<double>(c.trace.gpu.dur_ns[row]);
  }
  for (auto& [precision, ceiling] : by_precision) {
    if (peaks) ceiling.peak = PeakFlops(*peaks, precision);
  }
  return by_precision;
}

std::string Categories(const Context& c) {
  const auto rows = analysis::SummarizeKernelCategories(c.index, c.device_scope());
  std::string text;
  for (size_t i = 0; i < rows.size() && i < 4; ++i) {
    text += (i > 0 ? ", " : "") + std::string(analysis::KernelCategoryName(rows[i].category)) + " " +
            Pct(rows[i].share_of_kernels_pct);
  }
  return text;
}

constexpr double kShownRatio = 0.92;  // busy share of the recording against that of the step without the recorder

Outcome Evaluate(const Context& c) {
  if (c.gpu_rows.empty() || c.window_ns() <= 0) return Clean();
  if (TooLittle(c)) return Abstain("the recording holds " + WhatThereIs(c), "a few steps of the program");
  // Of the device that it loads most: several that take turns are not one that is busy.
  const analysis::Scope scope{c.rank.link_domain, c.device, {c.device_begin_ns, c.device_end_ns}};
  const auto compute = analysis::GpuIntervals(c.index, scope, analysis::GpuClass::kCompute);
  const double busy_ms = c.PerStepMs(compute.length_ns());
  const double step_ms = c.sim ? c.sim->base_step_ms() : c.PerStepMs(c.window_ns());
  if (step_ms <= 0 || busy_ms / step_ms < kMinBusyRatio) return Clean();
  const auto groups = GroupKernels(c, [](uint32_t) { return true; });
  if (groups.empty()) return Clean();
  const double busy_pct = std::min(100.0, 100 * busy_ms / step_ms);

  Finding finding;
  finding.subject = analysis::ShortKernelName(c.trace.Text(groups.front().name));
  finding.share_pct = busy_pct;
  const bool slowed = c.busy_pct() < kShownRatio * busy_pct;
  const std::string device = DeviceWords(c);
  finding.title = slowed
                      ? "Without the recorder " + (device == "The GPU" ? "the GPU" : device) + " would be busy about " +
                            Pct(busy_pct) +
                            " of the step: " + (busy_pct >= kNearlyAllPct ? "what remains" : "most of what remains") +
                            " is inside the kernels"
                      : device + " is busy " + Pct(busy_pct) +
                            " of the step: " + (busy_pct >= kNearlyAllPct ? "what remains" : "most of what remains") +
                            " is inside the kernels";
  if (slowed) {
    finding.evidence.push_back({"it works " + Ms(busy_ms) + " of a step that takes an estimated " + Ms(step_ms) +
                                    " without the recorder, and longer in the recording",
                                c.Query("devices")});
  }
  finding.evidence.push_back({"most time is in " + ListKernels(c, groups), c.Query("kernels")});
  const std::optional<Evidence> stalls = StallEvidence(c, groups.front().name);
  if (stalls) finding.evidence.push_back(*stalls);
  const std::string categories = Categories(c);
  if (!categories.empty())
    finding.evidence.push_back({"kernel time by kind: " + categories, c.Query("kernels --by category")});
  for (const auto& [precision, ceiling] : Ceilings(c, MainPeaks(c))) {
    if (ceiling.ns <= 0 || !ceiling.peak || c.SharePct(static_cast<int64_t>(ceiling.ns)) < 5) continue;
    finding.evidence.push_back({"matrix products in " + std::string(analysis::PrecisionName(precision)) + " reach " +
                                    Count(ceiling.flops / ceiling.ns / 1e3) + " TFLOP/s, " +
                                    Pct(100 * ceiling.used_ratio()) + " of this device's peak",
                                c.Query("ops --by shape")});
  }
  const bool sampled = !c.trace.device_samples.empty();
  finding.evidence.push_back(
      {sampled ? "no gain is predicted: what limits each kernel is judged from its sampled counters, where they tell it"
       : stalls
           ? "no gain is predicted: what warps wait for does not show what limits a kernel; hardware counters do"
           : "no gain is predicted: a recording of launches does not show what limits a kernel; hardware counters do",
       sampled ? c.Query("counters") : CountersCommand(c, groups.front().rows.front())});
  finding.actions.push_back({"Measure the kernels at the top with hardware counters before changing them.",
                             CountersCommand(c, groups.front().rows.front())});
  finding.actions.push_back(
      {"Or do less work: a smaller number format (bf16, fp8), fused operators, a smaller model, more GPUs.",
       "model = torch.compile(model)   # fuses what stands between the products"});
  finding.verify = "Compare the kernels' times before and after; faster host code will not show.";
  // What the recorder cost is an estimate, and this rests on it.
  finding.confidence = busy_pct >= kNearlyAllPct && !slowed ? Confidence::kHigh : Confidence::kMedium;
  return Found(std::move(finding));
}

}  // namespace

extern const Rule kDeviceSaturatedRule;
const Rule kDeviceSaturatedRule = {
    "device_saturated",
    Layer::kKernel,
    Dimension::kCompute,
    Breadth::kGeneral,
    Evaluate,
    "A GPU that is busy all the time cannot be fed any faster: the program around it is fine. Only faster or fewer "
    "kernels help, and which of the two depends on what each kernel waits for: arithmetic, memory, or other threads."};

}  // namespace warpscope::rules
