// The words of a comparison in turns. [MT] Pure functions.
#pragma once

#include <string>

#include "analysis/gate/turns.h"

namespace warpscope::view {

std::string_view ChangeWordName(analysis::ChangeWord word);  // "faster", "slower", "no_difference"
// "12.5 ms -> 12.0 ms (-4.4 %, between -5.1 and -3.6 %)"
std::string TurnsChange(const analysis::Turns& turns, std::string_view arrow);

}  // namespace warpscope::view
