// SharedDevice: whether another program works on the device while this one is recorded. Its time slices lie in the
// recorded times of kernels and in the gaps between them, where no rule can tell them from the program's own.
// [MT] Pure function.
#pragma once

#include <optional>
#include <string>

#include "rules/context.h"

namespace warpscope::rules {

// A sentence for the verdict; absent if no monitor's readings lie beside the timeline, if they agree with what was
// recorded, or if a part of the program's own work may be missing from the recording.
std::optional<std::string> OtherProgramOnDevice(const Context& context);

}  // namespace warpscope::rules
