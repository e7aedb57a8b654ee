// The words in which copies are named: "HtoD", "Pageable", as CUPTI and torch.profiler write them, so names made here
// and read there are the same. [MT] Pure functions.
#pragma once

#include <string_view>

#include "model/trace.h"

namespace warpscope::model {

std::string_view CopyWord(CopyKind kind);      // "" if unknown
std::string_view MemoryWord(MemoryKind kind);  // "Unknown" if unknown

}  // namespace warpscope::model
