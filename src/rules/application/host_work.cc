#include "rules/application/host_work.h"

#include <algorithm>

#include "rules/framework/graph_regions.h"

namespace warpscope::rules {

using analysis::GapCause;
using analysis::HostSpan;
using model::kNone;

namespace {

constexpr double kNotableSharePct = 5;
// Frameworks make pauses of some hundred microseconds by themselves (start of the backward pass, optimizer, planning of
// a library call): work of the program is what exceeds those, or fills a good part of a short step.
constexpr int64_t kFrameworkPauseNs = 1'000'000;
constexpr double kPauseOfStep = 0.15;

int64_t MinPauseNs(const Context& c) {
  const double step_ns = static_cast<double>(c.window_ns()) / c.step_count();
  return std::max(LaunchGapLimitNs(c), std::min(kFrameworkPauseNs, static_cast<int64_t>(kPauseOfStep * step_ns)));
}

const std::vector<HostSpan>* SpansOfThread(const Context& c, uint32_t thread) {
  for (const ThreadTime& time : c.host_time) {
    if (time.thread == thread) return &time.spans;
  }
  return nullptr;
}

}  // namespace

std::vector<HostWork> LongHostWork(const Context& c) {
  const int64_t limit_ns = MinPauseNs(c);
  std::vector<HostWork> work;
  for (uint32_t i = 0; i < c.gaps.size(); ++i) {
    const analysis::IssueGap& gap = c.gaps[i];
    if (gap.end_ns - gap.start_ns <= limit_ns) continue;
    const std::vector<HostSpan>* spans = SpansOfThread(c, gap.thread);
    if (spans == nullptr) continue;
    auto span = std::upper_bound(spans->begin(), spans->end(), gap.start_ns,
                                 [](int64_t at, const HostSpan& s) { return at < s.end_ns; });
    for (; span != spans->end() && span->start_ns < gap.end_ns; ++span) {
      work.push_back({i, gap.thread, std::max(span->start_ns, gap.start_ns), std::min(span->end_ns, gap.end_ns),
                      span->cause, span->row});
    }
  }
  return work;
}

std::vector<HostWork> Only(const std::vector<HostWork>& work, std::initializer_list<GapCause> causes) {
  std::vector<HostWork> kept;
  for (const HostWork& piece : work) {
    if (std::find(causes.begin(), causes.end(), piece.cause) != causes.end()) kept.push_back(piece);
  }
  return kept;
}

int64_t TotalNs(const std::vector<HostWork>& work) {
  int64_t total = 0;
  for (const HostWork& piece : work) total += piece.length_ns();
  return total;
}

int64_t IdleNs(const Context& c, const std::vector<HostWork>& work) {
  int64_t idle = 0;
  for (const HostWork& piece : work) idle += piece.length_ns() - c.busy.LengthWithin(piece.start_ns, piece.end_ns);
  return idle;
}

bool HasStacks(const Context& c) {
  for (const uint32_t thread : c.rank.threads) {
    const auto rows = c.trace.thread_rows[thread];
    for (uint32_t row = rows.begin; row < rows.end; ++row) {
      if (model::IsFrame(c.trace.host.kind[row])) return true;
      if (c.trace.host.start_ns[row] > c.end_ns) break;
    }
  }
  return false;
}

bool HasUnnamedWork(const Context& c) {
  const auto unnamed = Only(LongHostWork(c), {GapCause::kUnrecorded, GapCause::kDispatch});
  return c.SharePct(IdleNs(c, unnamed)) >= kNotableSharePct;
}

analysis::WhatIf Shrink(const std::vector<HostWork>& work, double rest_ratio) {
  analysis::WhatIf change;
  for (const HostWork& piece : work) change.ScaleHost(piece.thread, piece.start_ns, piece.end_ns, rest_ratio);
  return change;
}

analysis::WhatIf Shrink(const std::vector<ThreadSpan>& spans, double rest_ratio) {
  analysis::WhatIf change;
  for (const ThreadSpan& piece : spans)
    change.ScaleHost(piece.thread, piece.span.start_ns, piece.span.end_ns, rest_ratio);
  return change;
}

}  // namespace warpscope::rules
