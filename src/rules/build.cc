#include "rules/build.h"

#include <algorithm>

#include "analysis/call_tree.h"

namespace warpscope::rules {

std::vector<ThreadSpan> SpansOf(const Context& context, std::initializer_list<analysis::GapCause> causes) {
  std::vector<ThreadSpan> spans;
  for (const ThreadTime& thread : context.host_time) {
    for (const analysis::HostSpan& span : thread.spans) {
      if (std::find(causes.begin(), causes.end(), span.cause) != causes.end()) spans.push_back({thread.thread, span});
    }
  }
  return spans;
}

int64_t TotalNs(const std::vector<ThreadSpan>& spans) {
  int64_t total = 0;
  for (const ThreadSpan& span : spans) total += span.length_ns();
  return total;
}

int64_t IdleNs(const Context& context, const std::vector<ThreadSpan>& spans) {
  int64_t idle = 0;
  for (const ThreadSpan& span : spans) {
    idle += span.length_ns() - context.busy.LengthWithin(span.span.start_ns, span.span.end_ns);
  }
  return idle;
}

const ThreadSpan* Longest(const std::vector<ThreadSpan>& spans) {
  const auto it = std::max_element(spans.begin(), spans.end(), [](const ThreadSpan& a, const ThreadSpan& b) {
    return a.length_ns() < b.length_ns();
  });
  return it == spans.end() ? nullptr : &*it;
}

bool HasHostRows(const Context& context) { return !context.host_time.empty(); }

Outcome AbstainNoHost() {
  return Abstain("the file holds device work only, no operators and no API calls",
                 "torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])");
}

Outcome AbstainNoSteps(const Context& context) {
  return Abstain("the recording cannot be replayed: " + context.sim_reason,
                 "a few steady steps with host and device activities, prof.step() after each");
}

Outcome Conclude(const Context& context, Finding finding, analysis::Side side, const analysis::WhatIf* low,
                 const analysis::WhatIf* high) {
  finding.predicted = context.Predict(finding.change, side, low, high);
  if (!finding.predicted || finding.predicted->gain_pct < kMinGainPct) return Clean();
  return Found(std::move(finding));
}

std::string Place(const Context& context, uint32_t host_row) {
  if (host_row == model::kNone) return "";
  const analysis::Caller caller = analysis::FindCaller(context.index, host_row);
  std::string text;
  if (caller.outer_op != model::kNone) text = context.trace.HostName(caller.outer_op);
  if (caller.user_frame != model::kNone) {
    text += text.empty() ? "" : " at ";
    text += context.trace.HostName(caller.user_frame);
  }
  return text;
}

}  // namespace warpscope::rules
