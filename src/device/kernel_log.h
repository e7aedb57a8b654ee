// The running machine's kernel log. [MT] Reads only.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace warpscope::device {

// Hands every record that the kernel still holds to `take`, as text of /dev/kmsg, or what the first readable log file
// of the system holds. Returns the name of what was read. kIo with what to run instead if nothing may be read.
Result<std::string> ReadKernelLog(const std::function<void(std::string_view bytes)>& take);

}  // namespace warpscope::device
