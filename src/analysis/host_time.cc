#include "analysis/host_time.h"

#include <algorithm>

namespace warpscope::analysis {
namespace {

using model::HostKind;
using model::kNone;
using model::Trace;

HostActivity LabelActivity(HostLabel label) {
  switch (label) {
    case HostLabel::kDataLoading: return HostActivity::kDataLoading;
    case HostLabel::kCompilation: return HostActivity::kCompilation;
    case HostLabel::kFileIo: return HostActivity::kFileIo;
    case HostLabel::kGarbageCollect: return HostActivity::kGarbageCollection;
    case HostLabel::kHostWait:
    case HostLabel::kCommunication: return HostActivity::kSleepOrLock;
    case HostLabel::kProfiler: return HostActivity::kProfiler;
    case HostLabel::kPlain:
    case HostLabel::kStepMarker:
    case HostLabel::kModule:
    case HostLabel::kOptimizerStep:
    case HostLabel::kBackward:
    case HostLabel::kLibraryPython:
    case HostLabel::kUserPython: break;
  }
  return HostActivity::kUnrecorded;
}

HostActivity CallActivity(CallKind kind) {
  switch (kind) {
    case CallKind::kStreamSync:
    case CallKind::kDeviceSync:
    case CallKind::kEventSync:
    case CallKind::kQuery: return HostActivity::kDeviceWait;
    case CallKind::kDeviceAlloc:
    case CallKind::kDeviceFree:
    case CallKind::kHostAlloc:
    case CallKind::kHostFree: return HostActivity::kAllocation;
    case CallKind::kModuleLoad:
    case CallKind::kGraphBuild: return HostActivity::kCompilation;
    default: return HostActivity::kCall;
  }
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

}  // namespace

HostActivity ActivityOf(const Index& index, uint32_t host_row) {
  switch (index.trace().host.kind[host_row]) {
    case HostKind::kRuntimeCall:
    case HostKind::kDriverCall: return CallActivity(index.call_kind(host_row));
    case HostKind::kOsCall: return HostActivity::kSleepOrLock;
    case HostKind::kOverhead: return HostActivity::kProfiler;
    case HostKind::kAnnotation: return LabelActivity(index.host_label(host_row));
    case HostKind::kOperator: {
      const HostActivity named = LabelActivity(index.host_label(host_row));
      return named == HostActivity::kUnrecorded ? HostActivity::kOperator : named;
    }
    case HostKind::kPython: {
      const HostActivity named = LabelActivity(index.host_label(host_row));
      return named == HostActivity::kUnrecorded ? HostActivity::kPython : named;
    }
  }
  return HostActivity::kUnrecorded;
}

bool IsSticky(HostActivity activity) {
  return activity == HostActivity::kDataLoading || activity == HostActivity::kCompilation ||
         activity == HostActivity::kFileIo || activity == HostActivity::kGarbageCollection ||
         activity == HostActivity::kSleepOrLock || activity == HostActivity::kProfiler;
}

std::string_view HostActivityName(HostActivity activity) {
  switch (activity) {
    case HostActivity::kUnrecorded: return "host work that was not recorded";
    case HostActivity::kPython: return "Python";
    case HostActivity::kOperator: return "operators";
    case HostActivity::kCall: return "device calls";
    case HostActivity::kDeviceWait: return "waiting for the device";
    case HostActivity::kAllocation: return "memory allocation";
    case HostActivity::kDataLoading: return "data loading";
    case HostActivity::kCompilation: return "compilation and loading of code";
    case HostActivity::kFileIo: return "file reading and writing";
    case HostActivity::kGarbageCollection: return "garbage collection";
    case HostActivity::kSleepOrLock: return "sleeping or waiting for a lock";
    case HostActivity::kProfiler: return "the profiler itself";
  }
  return "";
}

std::vector<HostSpan> PartitionThread(const Index& index, uint32_t thread, int64_t begin_ns, int64_t end_ns) {
  const Trace& trace = index.trace();
  const auto& host = trace.host;
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
    Open next{host.end_ns(row), ActivityOf(index, row), row};
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

std::vector<IssueGap> FindIssueGaps(const Index& index, const Rank& rank, int64_t begin_ns, int64_t end_ns) {
  const Trace& trace = index.trace();
  const auto& host = trace.host;
  std::vector<uint32_t> calls;
  for (const uint32_t thread : rank.issuing_threads) {
    const auto rows = trace.thread_rows[thread];
    for (uint32_t row = rows.begin; row < rows.end; ++row) {
      if (host.end_ns(row) > begin_ns && host.start_ns[row] < end_ns && index.is_call(row)) calls.push_back(row);
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
