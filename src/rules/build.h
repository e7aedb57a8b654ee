// Small pieces that most rules are made of.
// [MT] Pure functions.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "analysis/interval_set.h"
#include "rules/context.h"
#include "rules/rule.h"

namespace warpscope::rules {

// Gains below this are noise for every rule: nothing is claimed.
inline constexpr double kMinGainPct = 1.0;

// Spans of one of these causes on all issuing threads, with their thread.
struct ThreadSpan {
  uint32_t thread;
  analysis::HostSpan span;
  int64_t length_ns() const { return span.end_ns - span.start_ns; }
};
std::vector<ThreadSpan> SpansOf(const Context& context, std::initializer_list<analysis::GapCause> causes);
int64_t TotalNs(const std::vector<ThreadSpan>& spans);
// Part of the spans in which the device stands idle.
int64_t IdleNs(const Context& context, const std::vector<ThreadSpan>& spans);
// The longest one; null if empty.
const ThreadSpan* Longest(const std::vector<ThreadSpan>& spans);

// The abstentions that many rules share.
Outcome AbstainNoHost();                         // device rows only
Outcome AbstainNoSteps(const Context& context);  // the simulator could not be built

bool HasHostRows(const Context& context);

// Fills predicted and share; null prediction or a gain under kMinGainPct (point) makes the outcome clean unless
// `keep_unpredicted`.
Outcome Conclude(const Context& context, Finding finding, analysis::Side side, const analysis::WhatIf* low = nullptr,
                 const analysis::WhatIf* high = nullptr);

// "aten::conv2d at train.py(41): forward": operator and user line of a host row, as far as recorded.
std::string Place(const Context& context, uint32_t host_row);

}  // namespace warpscope::rules
