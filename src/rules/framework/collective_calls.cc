#include "rules/framework/collective_calls.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace warpscope::rules {

using analysis::CollectiveCall;
using analysis::CollectiveSummary;
using analysis::WhatIf;
using model::kNone;

std::vector<CollectiveCost> CollectiveCallsOf(const Context& c, const CollectiveSummary& summary) {
  std::map<std::tuple<model::StringId, model::StringId, uint64_t>, int64_t> fastest;
  const auto key = [](const CollectiveCall& call) { return std::tuple(call.name, call.group, call.bytes.value_or(0)); };
  for (const CollectiveCall& call : summary.calls) {
    if (call.link_domain != c.rank.link_domain || call.gpu_row == kNone) continue;
    const auto [it, fresh] = fastest.try_emplace(key(call), call.dur_ns);
    if (!fresh) it->second = std::min(it->second, call.dur_ns);
  }
  std::vector<CollectiveCost> calls;
  for (const CollectiveCall& call : summary.calls) {
    if (call.link_domain != c.rank.link_domain || call.gpu_row == kNone) continue;
    if (call.start_ns < c.begin_ns || call.start_ns >= c.end_ns) continue;
    int64_t transfer_ns = fastest[key(call)];
    if (call.match != kNone) transfer_ns = summary.matched[call.match].transfer_ns;
    calls.push_back({call.gpu_row, call.dur_ns, call.exposed_ns, std::min(transfer_ns, call.dur_ns)});
  }
  return calls;
}

WhatIf CheaperCollectives(const std::vector<CollectiveCost>& calls, double ratio, double waiting_ratio) {
  WhatIf change;
  for (const CollectiveCost& call : calls) {
    const int64_t waiting_ns = call.dur_ns - call.transfer_ns;
    const int64_t hidden_ns = std::min(call.transfer_ns, call.exposed_ns);
    const double ns = static_cast<double>(call.dur_ns) - ratio * static_cast<double>(hidden_ns) -
                      waiting_ratio * static_cast<double>(waiting_ns);
    change.SetGpuDuration(call.row, std::max<int64_t>(static_cast<int64_t>(ns), 0));
  }
  return change;
}

}  // namespace warpscope::rules
