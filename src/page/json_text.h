// Finished JSON documents made fit for a web page: markup escaped, long strings cut. [MT] Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpscope::page {

// The same document in which <, >, &, U+2028 and U+2029 are written \uXXXX, so that nothing in it can end a script
// element or begin a comment. REQUIRES: JSON, in which these stand in strings only.
std::string EscapeMarkup(std::string_view json);

// The document with every string cut to about `max_bytes` of its text, at a whole character, a U+2026 in place of the
// rest. Adds how many were cut to `*cut`. REQUIRES: JSON in UTF-8.
std::string CutStrings(std::string json, size_t max_bytes, uint64_t* cut);

// Text cut likewise, outside of JSON.
std::string CutText(std::string_view text, size_t max_bytes, uint64_t* cut);

}  // namespace warpscope::page
