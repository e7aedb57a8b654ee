// LineTable: which source line each instruction comes from: the line program of .debug_line (DWARF 2 to 4,
// section 6.2), as nvcc -lineinfo and Triton write it. Calls that were inlined show the line of the callee. [MT] after
// construction. Hostile-safe: work and memory are bounded by the size of the section.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "import/code/cubin.h"

namespace warpscope::import::code {

class LineTable {
 public:
  explicit LineTable(const Cubin& cubin);

  struct Line {
    std::string file;
    uint32_t line = 0;
  };
  // Of the instruction at `offset` of a section of code. Absent: the table says nothing of it.
  std::optional<Line> Find(uint32_t section, uint64_t offset) const;
  bool empty() const { return rows_.empty(); }

 private:
  struct Row {
    uint32_t section = 0;
    uint64_t offset = 0;
    uint32_t file = 0, line = 0;  // line 0: nothing is known from here on
  };
  friend class LineProgram;
  std::vector<Row> rows_;           // by section, offset
  std::vector<std::string> files_;  // of all units
};

}  // namespace warpscope::import::code
