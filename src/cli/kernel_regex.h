// --kernel REGEX: which kernels a table holds. [MT]
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace warpscope::cli {

// Matches where the expression (ECMAScript, case does not matter) is found in a kernel's name. kInvalidArgument names
// the option.
Result<std::function<bool(std::string_view kernel)>> KernelMatcher(const std::string& expression);

}  // namespace warpscope::cli
