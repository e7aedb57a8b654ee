// Any bytes as device machine code with its line table, and as its disassembly.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "import/code/code_lines.h"

namespace code = warpscope::import::code;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto cubin = code::Cubin::FromBytes(bytes)) {
    const code::LineTable lines(*cubin);
    for (const std::string_view name : {"plain", "_Z5chasePKiPfi", ""}) {
      const auto function = cubin->Find(name);
      if (!function) continue;
      const auto line = lines.Find(function->section, function->offset + 16);
      if (line && line->line == 0) std::abort();
    }
  }
  for (const code::SassLine& line : code::ParseSass(bytes)) {
    if (line.text.empty() || line.section.empty()) std::abort();
  }
  return 0;
}
