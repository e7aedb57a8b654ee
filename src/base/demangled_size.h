// How long a mangled name becomes, without making it: time and memory are linear in the mangled name.
// [MT] A pure function. Grammar: Itanium C++ ABI, section 5.1 (https://itanium-cxx-abi.github.io/cxx-abi/abi.html).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace warpscope::base {

// Bytes that the name expands to, rather too many than too few; each part of it counts at least 1, so that parts
// that print as nothing are work too. Absent: not a name of this grammar, nested too deeply, or more than `most`.
std::optional<size_t> DemangledSize(std::string_view mangled, size_t most);

}  // namespace warpscope::base
