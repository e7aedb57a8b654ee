#include "analysis/call_tree.h"

#include <algorithm>

namespace warpscope::analysis {
namespace {

using model::HostKind;
using model::kNone;

constexpr uint32_t kMaxDepth = 4096;  // callers looked at: nobody nests deeper, odd files may

// First row of the thread that starts after `time_ns`.
uint32_t FirstAfter(const model::Trace& trace, uint32_t thread, int64_t time_ns) {
  const auto range = trace.thread_rows[thread];
  const auto begin = trace.host.start_ns.begin();
  return static_cast<uint32_t>(std::upper_bound(begin + range.begin, begin + range.end, time_ns) - begin);
}

// A row and those that hold it, as far as they still run at `time_ns`.
uint32_t OpenAt(const model::Trace& trace, uint32_t row, int64_t time_ns) {
  while (row != kNone && trace.host.end_ns(row) <= time_ns) row = trace.host.parent[row];
  return row;
}

}  // namespace

uint32_t InnermostAt(const model::Trace& trace, uint32_t thread, int64_t time_ns) {
  if (thread >= trace.thread_rows.size()) return kNone;
  const uint32_t after = FirstAfter(trace, thread, time_ns);
  return after == trace.thread_rows[thread].begin ? kNone : OpenAt(trace, after - 1, time_ns);
}

std::vector<uint32_t> Chain(const model::Trace& trace, uint32_t row, size_t max_depth) {
  std::vector<uint32_t> chain;
  for (; row != kNone && chain.size() < max_depth; row = trace.host.parent[row]) chain.push_back(row);
  return chain;
}

uint32_t NearestOfKind(const model::Trace& trace, uint32_t row, HostKind kind) {
  for (uint32_t depth = 0; row != kNone && trace.host.kind[row] != kind; row = trace.host.parent[row]) {
    if (++depth > kMaxDepth) return kNone;
  }
  return row;
}

Caller FindCaller(const Index& index, uint32_t row) {
  const model::Trace& trace = index.trace();
  Caller caller;
  const auto first = [](uint32_t& slot, uint32_t value) {
    if (slot == kNone) slot = value;
  };
  for (uint32_t depth = 0; row != kNone && depth < kMaxDepth; ++depth, row = trace.host.parent[row]) {
    const HostLabel label = index.host_label(row);
    switch (trace.host.kind[row]) {
      case HostKind::kOperator:
        first(caller.op, row);
        caller.outer_op = row;
        break;
      case HostKind::kAnnotation:
        if (label != HostLabel::kStepMarker) first(caller.annotation, row);
        break;
      case HostKind::kNative:
      case HostKind::kPython:
        if (label == HostLabel::kModule) first(caller.module, row);
        if (label == HostLabel::kUserPython) first(caller.user_frame, row);
        first(caller.python, row);
        break;
      default: break;
    }
  }
  return caller;
}

std::string CallerText(const Index& index, uint32_t row) {
  const model::Trace& trace = index.trace();
  const Caller caller = FindCaller(index, row);
  std::string text;
  if (caller.outer_op != kNone) text = trace.HostName(caller.outer_op);
  if (caller.user_frame != kNone) {
    if (!text.empty()) text += ", ";
    text += trace.HostName(caller.user_frame);
  }
  if (!text.empty()) return text;
  if (caller.annotation != kNone) return std::string(trace.HostName(caller.annotation));
  if (caller.python != kNone) return std::string(trace.HostName(caller.python));
  return row == kNone ? std::string() : std::string(trace.HostName(row));
}

SegmentWalker::SegmentWalker(const model::Trace& trace, uint32_t thread) : trace_(&trace) {
  if (thread >= trace.thread_rows.size()) return;
  begin_ = next_ = trace.thread_rows[thread].begin;
  stop_ = trace.thread_rows[thread].end;
}

uint32_t SegmentWalker::OpenAt(uint32_t row, int64_t time_ns) const { return analysis::OpenAt(*trace_, row, time_ns); }

void SegmentWalker::SeekTo(int64_t time_ns) {
  const auto& starts = trace_->host.start_ns;
  // Gallop: far jumps cost O(log n), near ones O(1).
  uint32_t step = 1, low = next_;
  while (low + step < stop_ && starts[low + step] <= time_ns) low += step, step *= 2;
  const uint32_t high = std::min(stop_, low + step);
  const uint32_t before = next_;
  next_ =
      static_cast<uint32_t>(std::upper_bound(starts.begin() + low, starts.begin() + high, time_ns) - starts.begin());
  // Nothing started since the last time: rows that were closed then stay closed.
  const uint32_t from = next_ == before && sought_ ? open_ : next_ == begin_ ? kNone : next_ - 1;
  open_ = OpenAt(from, time_ns);
  sought_ = true;
}

void ForEachSegment(const model::Trace& trace, uint32_t thread, int64_t begin_ns, int64_t end_ns,
                    const std::function<void(const Segment&)>& visit) {
  SegmentWalker(trace, thread).Walk(begin_ns, end_ns, visit);
}

model::Trace::RowRange RowsIn(const model::Trace& trace, uint32_t thread, const Window& window) {
  const auto range = trace.thread_rows[thread];
  const auto begin = trace.host.start_ns.begin();
  const auto first = std::lower_bound(begin + range.begin, begin + range.end, window.begin_ns);
  const auto last = std::lower_bound(first, begin + range.end, window.end_ns);
  return {static_cast<uint32_t>(first - begin), static_cast<uint32_t>(last - begin)};
}

}  // namespace warpscope::analysis
