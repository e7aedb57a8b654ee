// Runtime and driver API calls by name: how often, how long.
// [MT] Pure functions. Calls that start in the window count whole; a driver call inside a runtime call is not counted
// again.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/distribution.h"
#include "analysis/index.h"
#include "analysis/window.h"

namespace warpscope::analysis {

struct CallRow {
  model::StringId name = model::kNoString;
  CallKind kind = CallKind::kOther;
  Distribution time;
  double share_of_calls_pct = 0;                                  // of the time in all calls
  uint64_t threads = 0;                                           // that made it
  uint64_t device_rows = 0;                                       // work issued by it
  uint32_t first_row = model::kNone, longest_row = model::kNone;  // host rows
};

// Most total time first, then by name.
std::vector<CallRow> SummarizeCalls(const Index& index, const Scope& scope = {});

}  // namespace warpscope::analysis
