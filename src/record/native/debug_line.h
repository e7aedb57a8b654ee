// Line tables of DWARF 2 to 5 (DWARF 5, 6.2): which line of which file an address comes from.
// [MT] Functions of their arguments. Hostile-safe: reads are checked; time is bounded by the size of the bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::record::native {

struct LineSections {
  std::string_view line, line_strings, strings;  // .debug_line, .debug_line_str, .debug_str
};

struct SourceLine {
  std::string file;  // as the compiler was given it; relative ones lie in the folder that it ran in
  uint64_t line = 0;
};

// `wanted`: ascending. Addresses without a line are left out.
std::map<uint64_t, SourceLine> FindLines(const LineSections& sections, const std::vector<uint64_t>& wanted);

}  // namespace warpscope::record::native
