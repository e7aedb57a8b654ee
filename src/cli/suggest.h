// "Did you mean": the nearest of a few known words. [MT] Pure.
#pragma once

#include <span>
#include <string_view>

namespace warpscope::cli {

// The known word with the fewest edits (insert, delete, change, swap of neighbours) from `word`; "" if even that is
// further than a third of its length (at least 2). The first of equals.
std::string_view Nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace warpscope::cli
