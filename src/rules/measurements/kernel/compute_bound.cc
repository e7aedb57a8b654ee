// The instruction pipes set the pace.
#include <fmt/format.h>

#include "rules/measurements/kernel/cause.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

// ", mostly the fma pipe (97 %)"
std::string PipeText(const KernelCase& kernel) {
  if (!kernel.HasModel()) return kernel.counters.computes_by_matrix ? ", the matrix units" : ", the vector units";
  if (kernel.counters.pipes.empty() || kernel.counters.pipes.front().pct < kLowPct) return {};
  const analysis::Pipe& pipe = kernel.counters.pipes.front();
  return fmt::format(", mostly the {} pipe ({})", pipe.name, Pct(pipe.pct));
}

KernelOutcome Judge(const KernelCase& kernel) {
  const std::vector<UnitUse> units = UnitsByUse(kernel);
  if (units.empty()) return Misses({Counter::kComputePct});
  if (!kernel.HasModel() && !kernel[Counter::kComputePct]) return Misses({Counter::kComputePct});
  const UnitUse busiest = units.front();
  if (busiest.unit != Unit::kCompute || busiest.pct < kLowPct) return Silent();

  Diagnosis diagnosis;
  diagnosis.title = fmt::format("it computes as fast as the SMs can: {} busy{}", Pct(busiest.pct), PipeText(kernel));
  diagnosis.evidence.push_back(Shown(kernel, Counter::kComputePct, "%"));
  if (kernel[Counter::kIssueActive])
    diagnosis.evidence.push_back(Shown(kernel, Counter::kIssueActive, "instructions a cycle and scheduler"));
  if (kernel[Counter::kMemoryPct]) diagnosis.evidence.push_back(Shown(kernel, Counter::kMemoryPct, "%"));
  if (!kernel.HasModel()) {
    diagnosis.actions = {{kernel.counters.computes_by_matrix
                              ? "Nothing inside the kernel helps much but a smaller type for the factors, or less work."
                              : "Nothing inside the kernel helps much but less arithmetic: matrix instructions (MFMA) "
                                "where the work is a matrix product, a smaller type, fewer or cheaper operations.",
                          "rocwmma::mma_sync(sum, a, b, sum);  // or hipBLASLt"}};
  } else {
    diagnosis.actions = {
        {"Nothing inside the kernel helps much but less arithmetic: tensor cores where the work is a matrix product, a "
         "smaller type, fewer or cheaper operations.",
         "torch.set_float32_matmul_precision('high')  # matrix products of fp32 on tensor cores\n"
         "__fdividef(a, b);  // cheaper than a / b where its error is allowed"}};
  }
  // A kernel at its roof has nothing to fix inside; what is left is the way to the roof.
  diagnosis.waste_ratio = busiest.pct >= kHighPct ? 0 : 1 - busiest.pct / 100;
  diagnosis.confidence = busiest.pct >= kHighPct ? Confidence::kHigh : Confidence::kMedium;
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kComputeBoundCause;
const KernelCause kComputeBoundCause = {
    .id = "compute_bound",
    .dimension = Dimension::kCompute,
    .is_remainder = true,
    .judge = Judge,
    .tool_rules = "SOLBottleneck|Compute|HighPipeUtilization|SOLFPRoofline",
    .concept_text =
        "Every SM issues a few instructions a cycle, and each pipe takes its share. When that is full, only fewer or "
        "cheaper "
        "instructions make the kernel faster.",
};

}  // namespace warpscope::rules
