#include "rules/given_step.h"

#include <cmath>

#include "rules/text.h"

namespace warpscope::rules {

namespace {

constexpr double kLongerThanRecorded = 1.5;  // a recorder makes no step shorter: slack for a loop whose speed varies
constexpr double kMostSlowed = 3.0;          // times: torch.profiler slows host-bound steps 1.3 to 2.1 times

}  // namespace

GivenStep JudgeGivenStep(const Context& context, std::optional<double> given_ms) {
  if (!given_ms || !context.sim) return GivenStep::kNone;
  if (context.turns_per_step != 1) return GivenStep::kUsed;  // of several turns: told apart
  constexpr double kSame = 1e-6;
  if (std::abs(context.sim->base_step_ms() - *given_ms) > kSame * *given_ms) return GivenStep::kRefused;
  const double recorded_ms = context.PerStepMs(context.window_ns());
  const bool far = *given_ms > kLongerThanRecorded * recorded_ms || recorded_ms > kMostSlowed * *given_ms;
  return far ? GivenStep::kDoubtful : GivenStep::kUsed;
}

std::string DoubtOfGivenStep(const Context& context, std::optional<double> given_ms) {
  const GivenStep judged = JudgeGivenStep(context, given_ms);
  if (judged == GivenStep::kRefused) {
    return "The given step of " + Ms(*given_ms) + " is not used: the GPU alone works " +
           Ms(context.PerStepMs(context.busy.length_ns())) +
           " in a recorded step. Check --step-ms: milliseconds, of the same program.";
  }
  if (judged == GivenStep::kDoubtful) {
    return "The given step of " + Ms(*given_ms) + " is doubtful: the recorded one takes " +
           Ms(context.PerStepMs(context.window_ns())) +
           ", and no recorder changes a step that much. Check --step-ms: milliseconds, of the same program.";
  }
  return "";
}

}  // namespace warpscope::rules
