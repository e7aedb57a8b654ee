#include "base/demangled_size.h"

#include "base/mangled_parser.h"

namespace warpscope::base {

std::optional<size_t> DemangledSize(std::string_view mangled, size_t most) {
  if (!mangled.starts_with("_Z")) return std::nullopt;
  return MangledParser(mangled, most).Run();
}

}  // namespace warpscope::base
