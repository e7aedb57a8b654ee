#include "analysis/host_time.h"

#include <algorithm>
#include <map>

namespace warpscope::analysis {
namespace {

using model::HostKind;
using model::kNone;
using model::Trace;

// Classes of names, each distinct (name, kind) looked at once.
class NameClasses {
 public:
  explicit NameClasses(const Trace& trace) : trace_(trace), known_(trace.strings.size() * 2, kUnseen) {}

  HostActivity Of(uint32_t row) {
    const HostKind kind = trace_.host.kind[row];
    const bool python = kind == HostKind::kPython || kind == HostKind::kAnnotation;
    uint8_t& cell = known_[size_t{trace_.host.name[row]} * 2 + (python ? 1 : 0)];
    if (cell == kUnseen) cell = static_cast<uint8_t>(ClassifyName(trace_.HostName(row), kind));
    return static_cast<HostActivity>(cell);
  }

 private:
  static constexpr uint8_t kUnseen = 0xFF;
  const Trace& trace_;
  std::vector<uint8_t> known_;
};

HostActivity KindActivity(HostKind kind) {
  switch (kind) {
    case HostKind::kAnnotation: return HostActivity::kUnrecorded;
    case HostKind::kPython: return HostActivity::kPython;
    case HostKind::kOperator: return HostActivity::kOperator;
    case HostKind::kRuntimeCall:
    case HostKind::kDriverCall: return HostActivity::kCall;
    case HostKind::kOsCall: return HostActivity::kSleepOrLock;
    case HostKind::kOverhead: return HostActivity::kProfiler;
  }
  return HostActivity::kUnrecorded;
}

struct Open {
  int64_t end_ns;
  HostActivity activity;
  uint32_t row;
};

class Partition {
 public:
  Partition(int64_t begin_ns, int64_t end_ns) : begin_ns_(begin_ns), end_ns_(end_ns), at_ns_(begin_ns) {}

  // Everything from where the last piece ended up to `until` belongs to the innermost open row.
  void EmitUntil(int64_t until_ns, const std::vector<Open>& open) {
    until_ns = std::min(until_ns, end_ns_);
    if (until_ns <= at_ns_) return;
    const HostActivity activity = open.empty() ? HostActivity::kUnrecorded : open.back().activity;
    const uint32_t row = open.empty() || activity == HostActivity::kUnrecorded ? kNone : open.back().row;
    if (!spans_.empty() && spans_.back().activity == activity && spans_.back().row == row) {
      spans_.back().end_ns = until_ns;
    } else {
      spans_.push_back({at_ns_, until_ns, activity, row});
    }
    at_ns_ = until_ns;
  }
  std::vector<HostSpan> Take() { return std::move(spans_); }

 private:
  int64_t begin_ns_, end_ns_, at_ns_;
  std::vector<HostSpan> spans_;
};

bool IsDeviceCall(HostKind kind) { return kind == HostKind::kRuntimeCall || kind == HostKind::kDriverCall; }

}  // namespace

std::vector<HostSpan> PartitionThread(const Trace& trace, uint32_t thread, int64_t begin_ns, int64_t end_ns) {
  const auto& host = trace.host;
  NameClasses classes(trace);
  Partition partition(begin_ns, end_ns);
  std::vector<Open> open;
  const auto rows = trace.thread_rows[thread];
  for (uint32_t row = rows.begin; row < rows.end; ++row) {
    const int64_t start = host.start_ns[row];
    if (start >= end_ns) break;
    if (host.end_ns(row) <= begin_ns) continue;
    while (!open.empty() && open.back().end_ns <= start) {
      partition.EmitUntil(open.back().end_ns, open);
      open.pop_back();
    }
    partition.EmitUntil(start, open);
    const HostActivity named = classes.Of(row);
    Open next{host.end_ns(row), named == HostActivity::kUnrecorded ? KindActivity(host.kind[row]) : named, row};
    if (!open.empty()) {
      next.end_ns = std::min(next.end_ns, open.back().end_ns);
      // Sticky frames keep what is inside them; an annotation adds nothing to what encloses it.
      if (IsSticky(open.back().activity)) next.activity = open.back().activity, next.row = open.back().row;
      if (next.activity == HostActivity::kUnrecorded) next.activity = open.back().activity, next.row = open.back().row;
    }
    open.push_back(next);
  }
  while (!open.empty()) {
    partition.EmitUntil(open.back().end_ns, open);
    open.pop_back();
  }
  partition.EmitUntil(end_ns, open);
  return partition.Take();
}

std::vector<uint32_t> IssuingThreads(const Trace& trace, uint32_t link_domain) {
  std::map<uint32_t, uint32_t> launches;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    const uint32_t call = trace.gpu.call[row];
    if (call != kNone && trace.HostDomain(call) == link_domain) ++launches[trace.host.thread[call]];
  }
  std::vector<uint32_t> threads;
  for (const auto& [thread, count] : launches) threads.push_back(thread);
  std::stable_sort(threads.begin(), threads.end(), [&](uint32_t a, uint32_t b) { return launches[a] > launches[b]; });
  return threads;
}

std::vector<IssueGap> FindIssueGaps(const Trace& trace, uint32_t link_domain, int64_t begin_ns, int64_t end_ns) {
  const auto& host = trace.host;
  std::vector<uint32_t> calls;
  for (const uint32_t thread : IssuingThreads(trace, link_domain)) {
    const auto rows = trace.thread_rows[thread];
    for (uint32_t row = rows.begin; row < rows.end; ++row) {
      if (host.end_ns(row) > begin_ns && host.start_ns[row] < end_ns && IsDeviceCall(host.kind[row])) calls.push_back(row);
    }
  }
  std::stable_sort(calls.begin(), calls.end(), [&](uint32_t a, uint32_t b) { return host.start_ns[a] < host.start_ns[b]; });
  std::vector<IssueGap> gaps;
  int64_t covered = begin_ns;
  uint32_t last = kNone;
  for (const uint32_t call : calls) {
    if (host.start_ns[call] > covered) gaps.push_back({covered, host.start_ns[call], host.thread[call], last, call});
    if (host.end_ns(call) > covered) covered = host.end_ns(call), last = call;
  }
  if (covered < end_ns && last != kNone) gaps.push_back({covered, end_ns, host.thread[last], last, kNone});
  return gaps;
}

}  // namespace warpscope::analysis
