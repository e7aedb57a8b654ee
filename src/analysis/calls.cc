#include "analysis/calls.h"

#include <algorithm>
#include <unordered_map>

namespace warpscope::analysis {
namespace {

using model::kNone;

struct Sum {
  CallRow row;
  std::vector<int64_t> durations;
  uint32_t last_thread = kNone;  // rows come thread by thread
};

void Add(const model::HostTable& host, uint32_t row, size_t device_rows, Sum* sum) {
  if (sum->durations.empty()) {
    sum->row.name = host.name[row];
    sum->row.first_row = sum->row.longest_row = row;
  }
  sum->durations.push_back(host.dur_ns[row]);
  sum->row.device_rows += device_rows;
  if (host.dur_ns[row] > host.dur_ns[sum->row.longest_row]) sum->row.longest_row = row;
  if (host.start_ns[row] < host.start_ns[sum->row.first_row]) sum->row.first_row = row;
  if (sum->last_thread != host.thread[row]) ++sum->row.threads;
  sum->last_thread = host.thread[row];
}

}  // namespace

std::vector<CallRow> SummarizeCalls(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  const model::HostTable& host = trace.host;
  std::unordered_map<model::StringId, Sum> sums;
  int64_t total_ns = 0;
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (!index.is_call(row) || !scope.window.Contains(host.start_ns[row])) continue;
    if (scope.link_domain && trace.HostDomain(row) != *scope.link_domain) continue;
    if (host.parent[row] != kNone && index.is_call(host.parent[row])) continue;
    Sum& sum = sums[host.name[row]];
    sum.row.kind = index.call_kind(row);
    Add(host, row, index.IssuedBy(row).size(), &sum);
    total_ns += host.dur_ns[row];
  }
  std::vector<CallRow> out;
  for (auto& [name, sum] : sums) {
    sum.row.time = Distribute(std::move(sum.durations));
    if (total_ns > 0)
      sum.row.share_of_calls_pct = 100.0 * static_cast<double>(sum.row.time.sum_ns) / static_cast<double>(total_ns);
    out.push_back(sum.row);
  }
  std::sort(out.begin(), out.end(), [&](const CallRow& a, const CallRow& b) {
    return a.time.sum_ns != b.time.sum_ns ? a.time.sum_ns > b.time.sum_ns : trace.Text(a.name) < trace.Text(b.name);
  });
  return out;
}

}  // namespace warpscope::analysis
