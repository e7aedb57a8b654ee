// A step time that the user knows, in ms. [MT]
#pragma once

#include <optional>

#include "cli/args.h"

namespace warpscope::cli {

// Nothing if the flag is not given. kInvalidArgument beyond what a step can take: 0.1 us to three hours.
Result<std::optional<double>> StepMs(const Args& args, std::string_view flag);

}  // namespace warpscope::cli
