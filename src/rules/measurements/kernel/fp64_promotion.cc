// Numbers that are float outside are double inside: constants without an f, functions of double. Must not claim: that
// double is not needed; nor anything of kernels whose data are double throughout (no conversions): those are at the
// double pipe's roof by their own will (compute_bound).
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kSomePct = 5;           // of the double pipe's peak: less costs little. Own threshold.
constexpr double kConversions = 0.05;    // for each double instruction: fewer, and the data are double. Own threshold.
constexpr double kWithConversion = 1.4;  // instructions that go with one: copies of register pairs. Measured.
constexpr double kXuLanes = 16;          // an SM: conversions from and to 64 bits (CUDA programming guide)

// Lanes of an SM by compute capability (CUDA programming guide, throughput of arithmetic instructions).
struct Lanes {
  double fp64, fp32;
};
Lanes LanesOf(const KernelCase& kernel) {
  const double major = kernel[Counter::kComputeMajor].value_or(9), minor = kernel[Counter::kComputeMinor].value_or(0);
  if (major == 7) return {minor >= 5 ? 2.0 : 32.0, 64};
  if (major == 8) return {minor >= 6 ? 2.0 : 32.0, minor >= 6 ? 128.0 : 64.0};
  if (major == 6) return {minor >= 1 ? 4.0 : 32.0, minor >= 1 ? 128.0 : 64.0};
  if (major >= 12) return {2, 128};
  return {64, 128};
}

KernelOutcome Judge(const KernelCase& kernel) {
  if (kernel.counters.pipes.empty())
    return {std::nullopt, {"sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active"}};
  const Pace pace = PaceOf(kernel);
  const double doubles = pace[Part::kFp64], xu = pace[Part::kXu];
  if (100 * doubles < kSomePct) return Silent();
  const Lanes lanes = LanesOf(kernel);
  // In instructions of a warp and SM, each cycle.
  const double double_rate = doubles * lanes.fp64 / 32, xu_rate = xu * kXuLanes / 32;
  if (xu_rate < kConversions * double_rate) return Silent();
  Change change;
  change[Part::kFp64] = 0;
  change[Part::kXu] = 0;
  // The same operations in float, and no conversions.
  const double fp32_use = double_rate * 32 / lanes.fp32;
  const double issue = pace[Part::kIssue];
  if (pace[Part::kFma] > 0) change[Part::kFma] = (pace[Part::kFma] + fp32_use) / pace[Part::kFma];
  if (issue > 0) change[Part::kIssue] = std::max(0.1, 1 - kWithConversion * xu_rate / (issue * 4));
  if (pace.cycles > 0) change.latency = change[Part::kIssue] * pace.Alone("short_scoreboard", 0) / pace.Alone();
  const auto ratio = TimeRatio(pace, change);
  if (!ratio || *ratio > kWorthwhileRatio) return Silent();

  Diagnosis diagnosis;
  diagnosis.title =
      fmt::format("it computes in double between float values: the double pipe is {} busy, conversions {}",
                  Pct(100 * doubles), Pct(100 * xu));
  diagnosis.evidence = {
      fmt::format("fp64 pipe {} of its peak; {:.2g} conversions and the like for each double "
                  "instruction (sm__inst_executed_pipe_fp64, sm__inst_executed_pipe_xu)",
                  Pct(100 * doubles), xu_rate / double_rate)};
  if (kernel[Counter::kIssueActive]) diagnosis.evidence.push_back(Shown(kernel, Counter::kIssueActive));
  diagnosis.actions = {{"Write constants with f and call the float functions, where float suffices.",
                        "y = 1.7f * expf(-x * x);  // not 1.7 * exp(-x * x)"}};
  SetTimeRatio(diagnosis, *ratio);
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kFp64PromotionCause;
const KernelCause kFp64PromotionCause = {
    .id = "fp64_promotion",
    .dimension = Dimension::kCompute,
    .judge = Judge,
    .tool_rules = "HighPipeUtilization|FPInstructions|SOLFPRoofline",
    .concept_text =
        "A constant like 0.5 is double in C++. One such operand turns a float expression into double, with a "
        "conversion "
        "on the way in and one on the way out, on pipes that are half as fast at best and a 64th on consumer devices.",
};

}  // namespace warpscope::rules
