// Live blocks: how many allocations of the counted steps outlive their step.
// [MT] Pure function.
#pragma once

#include <cstdint>

#include "rules/context.h"

namespace warpscope::rules {

struct LiveBlocks {
  double net_per_step = 0;                   // allocations minus frees a step, over the counted steps' window
  int64_t largest_kept_bytes = 0;            // of the blocks made in the window and alive at its end
  uint32_t largest_kept_row = model::kNone;  // innermost host row that made the first of them
};

LiveBlocks CountLiveBlocks(const Context& context, uint32_t device);

}  // namespace warpscope::rules
