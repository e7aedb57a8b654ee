// What the counter_* rules share: kernels of the timeline whose counters were measured, with what the causes say of
// them. [MT] Pure functions.
#pragma once

#include <initializer_list>
#include <string_view>

#include "rules/context.h"
#include "rules/rule.h"

namespace warpscope::rules {

// The findings of the causes with these ids, one a kernel that matters: its share of the step, what the counters say,
// and the step without it, by replay with the kernel made as fast as the counters allow. Clean without profiles;
// abstains if no profiled kernel ran in the window, or the causes miss metrics.
Outcome EvaluateCounters(const Context& context, std::initializer_list<std::string_view> cause_ids);

}  // namespace warpscope::rules
