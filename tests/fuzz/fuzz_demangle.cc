// Any bytes as a mangled name: what is accepted is no longer than was promised, and quickly made.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/demangle.h"
#include "base/demangled_size.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace base = warpscope::base;
  const std::string name = "_Z" + std::string(reinterpret_cast<const char*>(data), size);
  const auto whole = base::Demangle(name);
  const auto bytes = base::DemangledSize(name, base::kMostDemangledBytes);
  if (whole && bytes && whole->size() > 2 * *bytes + 64) std::abort();
  return 0;
}
