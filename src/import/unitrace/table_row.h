// A line of unitrace's tables: fields by commas, names in quotes that hold commas, padded with blanks.
// [MT] pure functions.
#pragma once

#include <string_view>
#include <vector>

namespace warpscope::import::unitrace {

// Views into the line. Quotes are taken away; a quote that is never closed reaches to the end.
std::vector<std::string_view> FieldsOf(std::string_view line);
std::string_view Trimmed(std::string_view text);

}  // namespace warpscope::import::unitrace
