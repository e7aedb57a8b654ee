// Words for a POSIX shell. [MT] Pure.
#pragma once

#include <string>
#include <string_view>

namespace warpscope::cli {

// The word as it stands if no shell would touch it, else in single quotes.
std::string ShellQuote(std::string_view word);

}  // namespace warpscope::cli
