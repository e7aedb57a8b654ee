// Other devices: a verdict is about the device that one rank loads most; what the recording tells of the others is said
// beside it, so that one that starves or idles is not hidden behind a busy one.
// [MT] Pure functions.
#pragma once

#include <optional>
#include <string>

#include "rules/context.h"

namespace warpscope::rules {

// "The GPU", or "GPU 1" where the recording holds work of several.
std::string DeviceWords(const Context& context);

// A sentence where the devices of one rank work one after the other: each is idle for want of the other's result, which
// no change of the program around it mends, but more than one batch on its way does.
std::optional<std::string> DevicesInTurns(const Context& context);

// A sentence on the devices that are notably less or more busy than the judged one in the same time, and on those that
// the program could see and gave nothing to; absent if there are none.
std::optional<std::string> OtherDevices(const Context& context);

}  // namespace warpscope::rules
