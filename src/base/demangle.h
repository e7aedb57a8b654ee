// Names of C++ functions as people write them, from the names that linkers use.
// [MT] Pure functions. Names come from recordings, and so from anybody: a mangled name refers to its own parts, and 300
// hostile bytes stand for gigabytes. What comes out, and the work for it, is bounded before anything is expanded.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace warpscope::base {

inline constexpr size_t kMostMangledBytes = 16384, kMostDemangledBytes = size_t{256} << 10U;

// "_ZN3foo3barEi" -> "foo::bar(int)". Absent: no mangled name ("_Z..."), cut off, longer than kMostMangledBytes, of a
// scheme that is not known here, or one that may expand beyond kMostDemangledBytes.
std::optional<std::string> Demangle(std::string_view mangled);

}  // namespace warpscope::base
