// Sums of recorded numbers that nobody vouches for (allocation sizes): they wrap instead of overflowing.
// [MT] Pure functions.
#pragma once

#include <cstdint>

namespace warpscope::analysis {

constexpr int64_t WrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
constexpr int64_t WrapSub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

}  // namespace warpscope::analysis
