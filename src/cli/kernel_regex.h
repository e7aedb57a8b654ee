// --kernel REGEX: which kernels a table holds. [MT]
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace warpscope::cli {

// Matches where the expression (analysis::NamePattern) is found in a kernel's name. kInvalidArgument names
// the option.
Result<std::function<bool(std::string_view kernel)>> KernelMatcher(const std::string& expression);

}  // namespace warpscope::cli
