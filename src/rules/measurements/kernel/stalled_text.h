// Reasons to wait by name, as the stall table has them. [MT] Pure function.
#pragma once

#include <initializer_list>
#include <string>

#include "rules/measurements/kernel/cause.h"

namespace warpscope::rules {

// "long_scoreboard 80 %, drain 3 %": shares of warp time; those under 1 % are left out.
std::string StalledText(const KernelCase& kernel, std::initializer_list<std::string_view> reasons);

}  // namespace warpscope::rules
