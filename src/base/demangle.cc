#include "base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "base/demangled_size.h"

namespace warpscope::base {
namespace {

// Few references cannot do harm: R of them make a name at most 3 to the power of R / 3 times longer (three a level),
// and a pack ("Dp") as often again as it has elements; three packs within each other make a minute of 230 bytes. Such
// names need no grammar, and so no newer scheme is refused among them.
bool IsHarmless(std::string_view name) {
  constexpr size_t kMostBytes = 4096, kMostReferences = 12, kMostPacks = 1;
  if (name.size() > kMostBytes) return false;
  size_t references = 0, packs = 0;
  for (size_t i = 0; i + 1 < name.size(); ++i) {
    packs += name[i] == 'D' && name[i + 1] == 'p' ? 1 : 0;
    if (name[i] != 'S' && name[i] != 'T') continue;
    size_t end = i + 1;
    while (end < name.size() && ((name[end] >= '0' && name[end] <= '9') || (name[end] >= 'A' && name[end] <= 'Z')))
      ++end;
    references += end < name.size() && name[end] == '_' ? 1 : 0;
  }
  return references <= kMostReferences && packs <= kMostPacks;
}

}  // namespace

std::optional<std::string> Demangle(std::string_view mangled) {
  if (!mangled.starts_with("_Z") || mangled.size() > kMostMangledBytes) return std::nullopt;
  if (!IsHarmless(mangled) && !DemangledSize(mangled, kMostDemangledBytes)) return std::nullopt;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !text) return std::nullopt;
  return std::string(text.get());
}

}  // namespace warpscope::base
