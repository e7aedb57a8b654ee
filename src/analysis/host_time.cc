#include "analysis/host_time.h"

#include <algorithm>

#include "analysis/call_tree.h"

namespace warpscope::analysis {

using model::kNone;
using model::Trace;

std::vector<HostSpan> PartitionThread(const Index& index, uint32_t thread, int64_t begin_ns, int64_t end_ns) {
  std::vector<HostSpan> spans;
  ForEachSegment(index.trace(), thread, begin_ns, end_ns, [&](const Segment& segment) {
    HostActivity activity{GapCause::kUnrecorded, kNone};
    if (segment.row != kNone) activity = index.activity(segment.row);
    if (!spans.empty() && spans.back().cause == activity.cause && spans.back().row == activity.row) {
      spans.back().end_ns = segment.end_ns;
    } else {
      spans.push_back({segment.begin_ns, segment.end_ns, activity.cause, activity.row});
    }
  });
  return spans;
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
  std::stable_sort(calls.begin(), calls.end(),
                   [&](uint32_t a, uint32_t b) { return host.start_ns[a] < host.start_ns[b]; });
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
