// Divisions and remainders of integers: there is no instruction for them, each is some twenty, three of them on the
// slow pipe of conversions. Must not claim: that the divisor is a constant or a power of two, which only the program
// knows.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/arithmetic.h"
#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kSomePct = 15;  // of the conversion pipe: fewer divisions cost little. Own threshold.
// Of the instructions of a 32-bit division: those on the conversion pipe (to float, reciprocal, back), all of them, and
// those of what replaces it (a high product and a shift, or a mask). From the compiled code of nvcc 13.
constexpr double kXuOfDivision = 3, kOfDivision = 19, kOfReplacement = 4;

KernelOutcome Judge(const KernelCase& kernel) {
  if (kernel.counters.pipes.empty())
    return {std::nullopt, {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active"}};
  const Pace pace = PaceOf(kernel);
  if (100 * pace[Part::kXu] < kSomePct || XuIsConversion(pace) || !XuIsDivision(kernel, pace)) return Silent();
  const double divisions = XuRate(pace) / kXuOfDivision, issued = pace[Part::kIssue];
  if (!(issued > 0)) return Misses({Counter::kIssueActive});
  Change change;
  change.ScaleInstructions(std::max(0.1, 1 - divisions * (kOfDivision - kOfReplacement) / issued));
  change[Part::kXu] = 0;
  change[Part::kLsu] = 1;
  if (pace.cycles > 0) change.latency = change[Part::kIssue] * pace.Alone("short_scoreboard", 0) / pace.Alone();
  const auto ratio = TimeRatio(pace, change);
  if (!ratio || *ratio > kWorthwhileRatio) return Silent();

  Diagnosis diagnosis;
  diagnosis.title = fmt::format("it divides integers: about {} of its instructions",
                                Pct(100 * std::min(1.0, divisions * kOfDivision / issued)));
  diagnosis.evidence = {
      fmt::format("the conversion pipe is {} busy, without float arithmetic beside it "
                  "(sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active, "
                  "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed)",
                  Pct(100 * pace[Part::kXu]))};
  if (kernel[Counter::kIssueActive]) diagnosis.evidence.push_back(Shown(kernel, Counter::kIssueActive));
  diagnosis.actions = {
      {"Divide by constants, by powers of two, or with a multiplier computed once on the host; take indices from the "
       "grid; use 32 instead of 64 bits.",
       "int row = __umulhi(i, magic) >> shift;  // i / columns, magic and shift computed once\n"
       "int col = i & (columns - 1);            // i % columns for a power of two"}};
  SetTimeRatio(diagnosis, *ratio);
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kIntegerDivisionCause;
const KernelCause kIntegerDivisionCause = {
    .id = "integer_division",
    .dimension = Dimension::kCompute,
    .judge = Judge,
    .tool_rules = "HighPipeUtilization|Compute",
    .concept_text =
        "A GPU has no instruction that divides integers. The compiler turns a division by an unknown number into a "
        "conversion to float, a reciprocal, a conversion back and corrections: about twenty instructions, 64 bits "
        "more.",
};

}  // namespace warpscope::rules
