// The section `allocations`: blocks of memory with the stacks that asked for them, so that the page can tell who holds
// memory at any moment (docs/formats/report.md). [one thread]
#pragma once

#include <cstdint>
#include <string>

#include "analysis/allocations.h"
#include "page/names.h"
#include "page/timeline.h"

namespace warpscope::page {

inline constexpr size_t kMaxAllocations = 200'000;  // the largest are kept

struct PageAllocations {
  analysis::Allocations allocations;
  uint64_t left_out = 0;
  int64_t smallest_bytes = 0;  // of those kept, where some were left out
};

// Those of devices that have a track of memory; counts the names of their frames.
PageAllocations ChooseAllocations(const Timeline& timeline, Names* names);
std::string AllocationColumns(const PageAllocations& chosen, const Timeline& timeline, const Names& names,
                              int64_t origin_ns);

}  // namespace warpscope::page
