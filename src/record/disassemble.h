// Disassembly of the machine code that a run keeps, by CUDA's nvdisasm, which no run needs. [one thread]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace warpscope::record {

// Found on the PATH, in /usr/local/cuda*/bin (newest first), or with Triton's packages of a Python on the PATH; "".
std::string FindDisassembler();

struct Disassembly {
  std::string cubin;              // path; the text goes beside it: x.cubin -> x.sass
  std::vector<uint32_t> symbols;  // numbers of the functions that are wanted
};

// Runs the program on each, for at most `limit_s` seconds in all. Texts beyond 64 MiB are dropped. kUnsupported says
// what was not done and why; what was done stays.
Status Disassemble(const std::string& program, const std::vector<Disassembly>& wanted, int limit_s);

}  // namespace warpscope::record
