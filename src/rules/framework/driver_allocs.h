// Calls of the driver's allocator in the counted steps (the framework's cache should make them unnecessary).
// [MT] Pure function.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/context.h"

namespace warpscope::rules {

struct DriverAllocs {
  std::vector<uint32_t> calls;  // host rows: device and pinned host allocations and frees, by row
  uint64_t allocs = 0, frees = 0, host_allocs = 0;
  uint64_t turns = 0;  // allocations right after a free
  bool last_freed = false;
  int64_t total_ns = 0, free_ns = 0;
  uint32_t steps_with_calls = 0;
  uint32_t longest = model::kNone;
  bool empty_cache = false;  // a frame of torch.cuda.empty_cache stands around one of them
};

// Without those of the recorder, of data loading, of compilation and of convolution searches.
DriverAllocs FindDriverAllocs(const Context& context);

// They occur all through the loop, not in one step only.
bool IsSteady(const Context& context, const DriverAllocs& allocs);

analysis::WhatIf WithoutAllocs(const DriverAllocs& allocs);

}  // namespace warpscope::rules
