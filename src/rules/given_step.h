// GivenStep: whether a step time that the user gives can be one of the recorded program.
// [MT] Pure functions.
#pragma once

#include <optional>
#include <string>

#include "rules/context.h"

namespace warpscope::rules {

// kRefused: the device's own work does not fit into it; predictions begin with the estimate instead.
// kDoubtful: no recorder makes a step so much shorter or longer; it is used, and said to be doubtful.
enum class GivenStep : uint8_t { kNone, kUsed, kDoubtful, kRefused };

// given_ms: what the context was built with (Context::Options::true_step_ms).
GivenStep JudgeGivenStep(const Context& context, std::optional<double> given_ms);

// What is wrong with a doubtful or refused one, with what to do: a sentence for the answer; "" for the others.
std::string DoubtOfGivenStep(const Context& context, std::optional<double> given_ms);

}  // namespace warpscope::rules
