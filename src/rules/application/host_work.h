// Host work: the long stretches in which no issuing thread makes a device call, cut by what the host did meanwhile.
// Many short stretches are launch overhead (launch_bound); these are the ones over LaunchGapLimitNs() and over 1 ms
// (or 15 % of a shorter step), which frameworks do not make by themselves.
// [MT] Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rules/build.h"
#include "rules/context.h"

namespace warpscope::rules {

struct HostWork {
  uint32_t gap;  // row of Context::gaps
  uint32_t thread;
  int64_t start_ns, end_ns;
  analysis::GapCause cause;
  uint32_t row;  // host row that decided it; kNone if nothing was recorded
  int64_t length_ns() const { return end_ns - start_ns; }
};

// Pieces of all long gaps in time order. Together they cover the gaps.
std::vector<HostWork> LongHostWork(const Context& context);

// Those of some causes.
std::vector<HostWork> Only(const std::vector<HostWork>& work, std::initializer_list<analysis::GapCause> causes);
int64_t TotalNs(const std::vector<HostWork>& work);
int64_t IdleNs(const Context& context, const std::vector<HostWork>& work);

// Whether Python frames of this rank's threads were recorded.
bool HasStacks(const Context& context);
// Unnamed host work (no frame says what it is) of at least 5 % of the step: what the rules abstain for when no stacks
// were recorded.
bool HasUnnamedWork(const Context& context);
inline constexpr const char* kRecordStacks = "torch.profiler.profile(..., with_stack=True)";

// All of it to `rest_ratio` of its length.
analysis::WhatIf Shrink(const std::vector<HostWork>& work, double rest_ratio);
analysis::WhatIf Shrink(const std::vector<ThreadSpan>& spans, double rest_ratio);

}  // namespace warpscope::rules
