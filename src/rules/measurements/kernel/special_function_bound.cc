// The pipe of special functions and conversions sets the pace. Must not claim: integer divisions (integer_division) and
// double conversions (fp64_promotion), which use the same pipe; nor that the accuracy of fewer functions suffices.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/arithmetic.h"
#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

// Of the functions and of what surrounds them, where some merge or repeat. Own estimate: about every second one.
constexpr double kLeft = 0.45;

KernelOutcome Judge(const KernelCase& kernel) {
  if (kernel.counters.pipes.empty())
    return {std::nullopt, {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active"}};
  const Pace pace = PaceOf(kernel);
  if (100 * pace[Part::kXu] < kLowPct) return Silent();
  if (XuIsDivision(kernel, pace) || XuIsConversion(pace)) return Silent();
  Change change;
  change.ScaleInstructions(kLeft);
  const auto ratio = TimeRatio(pace, change);
  if (!ratio || *ratio > kWorthwhileRatio) return Silent();

  Diagnosis diagnosis;
  diagnosis.title =
      fmt::format("special functions set its pace: their pipe is {} busy, all others less", Pct(100 * pace[Part::kXu]));
  diagnosis.evidence = {fmt::format("sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active = {:.3g} %",
                                    100 * pace[Part::kXu] / pace.busy)};
  if (kernel[Counter::kIssueActive]) diagnosis.evidence.push_back(Shown(kernel, Counter::kIssueActive));
  diagnosis.actions = {
      {"Call fewer of them: merge exponentials and logarithms, compute what repeats once, move part of them to the "
       "arithmetic pipes as a polynomial.",
       "__expf(a + b)                    // not __expf(a) * __expf(b)\n"
       "float r = rsqrtf(s); x *= r; y *= r;  // one function for all components"}};
  SetTimeRatio(diagnosis, *ratio);
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kSpecialFunctionBoundCause;
const KernelCause kSpecialFunctionBoundCause = {
    .id = "special_function_bound",
    .dimension = Dimension::kCompute,
    .judge = Judge,
    .tool_rules = "HighPipeUtilization|SOLBottleneck",
    .concept_text =
        "Sine, exponential, logarithm, reciprocal and root run on a pipe with 16 lanes an SM, an eighth of the lanes "
        "for "
        "additions and products. Conversions between integers and floats share it.",
};

}  // namespace warpscope::rules
