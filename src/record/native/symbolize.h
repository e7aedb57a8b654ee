// Names of sampled functions, looked up when the program has ended: the symbols of their files, of separate debug files
// (by build id), lines from DWARF line tables, and maps that compilers at run time write (/tmp/perf-PID.map).
// [one thread] Hostile-safe: sizes are bounded, files are read as far as they make sense.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "record/native/module_table.h"

namespace warpscope::record::native {

struct FunctionName {
  std::string name;  // as the linker knows it, C++ names mangled; "" if unknown
  std::string file;  // "" if unknown; relative to the working folder where it lies in it
  uint64_t line = 0;
};

// `addresses`: ascending, where functions begin. Those of which nothing is known are left out.
std::map<uint64_t, FunctionName> NamesOf(const Module& module, const std::vector<uint64_t>& addresses);

// Names of generated code: lines "HEX HEX NAME", address and size. Of ranges that overlap the last one holds.
std::map<uint64_t, FunctionName> NamesOfGenerated(std::string_view map_text, const std::vector<uint64_t>& addresses);

}  // namespace warpscope::record::native
