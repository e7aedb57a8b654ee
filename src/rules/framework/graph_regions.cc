#include "rules/framework/graph_regions.h"

#include <algorithm>

#include "analysis/call_kind.h"
#include "analysis/gaps.h"

namespace warpscope::rules {
namespace {

using analysis::CallKind;
using model::kNone;

// Call kinds that cannot stand inside a captured region.
bool Breaks(CallKind kind) {
  switch (kind) {
    case CallKind::kStreamSync:
    case CallKind::kDeviceSync:
    case CallKind::kEventSync:
    case CallKind::kCopySync:
    case CallKind::kDeviceAlloc:
    case CallKind::kDeviceFree:
    case CallKind::kHostAlloc:
    case CallKind::kHostFree:
    case CallKind::kGraphLaunch:
    case CallKind::kModuleLoad: return true;
    default: return false;
  }
}

// A copy from or to the host needs new contents each time; it stays outside.
bool IsHostCopy(const Context& c, uint32_t gpu_row) {
  const model::CopyDetail* copy = c.trace.Copy(gpu_row);
  return copy != nullptr &&
         (copy->kind == model::CopyKind::kHostToDevice || copy->kind == model::CopyKind::kDeviceToHost);
}

// Times at which a run must end, sorted.
std::vector<int64_t> Breakpoints(const Context& c, int64_t max_host_gap_ns) {
  std::vector<int64_t> at;
  for (const uint32_t thread : c.rank.issuing_threads) {
    const auto rows = c.trace.thread_rows[thread];
    for (uint32_t row = rows.begin; row < rows.end; ++row) {
      if (c.InWindow(row) && c.index.is_call(row) && Breaks(c.index.call_kind(row)))
        at.push_back(c.trace.host.start_ns[row]);
    }
  }
  for (const analysis::IssueGap& gap : c.gaps) {
    if (gap.end_ns - gap.start_ns > max_host_gap_ns) at.push_back(gap.start_ns);
  }
  // A step that was found from the launches themselves may be one turn of an inner loop: a graph can span several.
  if (c.steps.source != analysis::StepSource::kKernelSequence) {
    for (const analysis::Step& step : c.steps.steps) at.push_back(step.begin_ns);
  }
  std::sort(at.begin(), at.end());
  return at;
}

}  // namespace

int64_t LaunchGapLimitNs(const Context& c) {
  std::vector<int64_t> lengths;
  for (const analysis::IssueGap& gap : c.gaps) lengths.push_back(gap.end_ns - gap.start_ns);
  if (lengths.empty()) return 200'000;
  std::nth_element(lengths.begin(), lengths.begin() + static_cast<long>(lengths.size() / 2), lengths.end());
  return std::clamp<int64_t>(10 * lengths[lengths.size() / 2], 200'000, 1'000'000);
}

std::vector<std::vector<uint32_t>> GraphRegions(const Context& c, int64_t max_host_gap_ns, size_t min_rows) {
  struct Issue {
    int64_t call_ns;
    uint32_t row;
  };
  std::vector<Issue> issues;
  for (const uint32_t row : c.gpu_rows) {
    const uint32_t call = c.trace.gpu.call[row];
    if (call == kNone || analysis::CallKind::kGraphLaunch == c.index.call_kind(call)) continue;
    issues.push_back({c.trace.host.start_ns[call], row});
  }
  std::stable_sort(issues.begin(), issues.end(), [](const Issue& a, const Issue& b) { return a.call_ns < b.call_ns; });
  const std::vector<int64_t> breaks = Breakpoints(c, max_host_gap_ns);
  std::vector<std::vector<uint32_t>> regions;
  std::vector<uint32_t> run;
  const auto close = [&] {
    if (run.size() >= min_rows) regions.push_back(run);
    run.clear();
  };
  int64_t last_ns = INT64_MIN;
  for (const Issue& issue : issues) {
    const auto next_break = std::upper_bound(breaks.begin(), breaks.end(), last_ns);
    if (next_break != breaks.end() && *next_break <= issue.call_ns) close();
    last_ns = issue.call_ns;
    if (IsHostCopy(c, issue.row)) {
      close();
      continue;
    }
    run.push_back(issue.row);
  }
  close();
  return regions;
}

}  // namespace warpscope::rules
