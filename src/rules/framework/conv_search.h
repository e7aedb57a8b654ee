// Library searches: a convolution that tries several kernels on the device to find the fastest (cudnn.benchmark), seen
// as one operator call that runs many different kernels and times them with events.
// [MT] Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/context.h"

namespace warpscope::rules {

struct ConvSearch {
  uint32_t op;                       // host row of the operator that searched
  uint32_t step;                     // row of Steps::steps; kNone outside
  std::vector<uint32_t> gpu_rows;    // all it ran, by start
  std::vector<uint32_t> side_calls;  // its synchronisation, event and allocator calls
  uint32_t kernel_names;             // distinct ones
};

struct ConvSearches {
  std::vector<ConvSearch> list;  // by operator row
  // Whether a host row lies inside one of them.
  bool Covers(const Context& context, uint32_t host_row) const;
};

ConvSearches FindConvSearches(const Context& context);

}  // namespace warpscope::rules
