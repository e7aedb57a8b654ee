#include "rules/framework/collective_calls.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/device_time.h"
#include "analysis/interval_set.h"

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

namespace {

// Launches of one name and grid with no communication beside them.
struct Clean {
  int64_t total_ns = 0, count = 0;
  double mean_ns() const { return static_cast<double>(total_ns) / static_cast<double>(count); }
};
using CleanKey = std::tuple<model::StringId, uint32_t, uint32_t, uint32_t>;

CleanKey KeyOf(const model::Trace& trace, uint32_t row) {
  const model::LaunchConfig* config = trace.Launch(row);
  if (config == nullptr) return {trace.gpu.name[row], 0, 0, 0};
  return {trace.gpu.name[row], config->grid[0], config->grid[1], config->grid[2]};
}

bool Computes(const Context& c, uint32_t row) {
  return c.trace.gpu.kind[row] == model::GpuKind::kKernel && !c.index.is_communication(row);
}

// Adds the clean launches of one rank.
void AddClean(const Context& c, uint32_t domain, std::map<CleanKey, Clean>& clean) {
  const analysis::IntervalSet communication =
      analysis::GpuIntervals(c.index, {domain, std::nullopt, {}}, analysis::GpuClass::kCommunication);
  for (uint32_t row = 0; row < c.trace.gpu.size(); ++row) {
    if (!Computes(c, row) || c.trace.GpuDomain(row) != domain) continue;
    if (communication.LengthWithin(c.trace.gpu.start_ns[row], c.trace.gpu.end_ns(row)) > 0) continue;
    Clean& group = clean[KeyOf(c.trace, row)];
    group.total_ns += c.trace.gpu.dur_ns[row];
    ++group.count;
  }
}

}  // namespace

WhatIf UnslowedKernels(const Context& c, const std::vector<CollectiveCost>& calls) {
  WhatIf change;
  std::vector<analysis::Interval> all, waiting;
  for (const CollectiveCost& call : calls) {
    const int64_t start_ns = c.trace.gpu.start_ns[call.row], end_ns = start_ns + call.dur_ns;
    all.push_back({start_ns, end_ns});
    if (call.dur_ns > call.transfer_ns) waiting.push_back({start_ns, end_ns - call.transfer_ns});
  }
  if (waiting.empty()) return change;
  const analysis::IntervalSet beside(std::move(all)), waits(std::move(waiting));
  std::map<CleanKey, Clean> own, any;
  AddClean(c, c.rank.link_domain, own);
  for (const analysis::Rank& rank : c.index.ranks()) AddClean(c, rank.link_domain, any);
  for (const uint32_t row : c.gpu_rows) {
    if (!Computes(c, row)) continue;
    const int64_t start_ns = c.trace.gpu.start_ns[row], end_ns = c.trace.gpu.end_ns(row);
    const int64_t waited_ns = waits.LengthWithin(start_ns, end_ns);
    if (waited_ns == 0) continue;
    const CleanKey key = KeyOf(c.trace, row);
    auto found = own.find(key);
    if (found == own.end() && (found = any.find(key)) == any.end()) continue;
    const double recorded_ns = static_cast<double>(c.trace.gpu.dur_ns[row]);
    const double slowed_ns = recorded_ns - found->second.mean_ns();
    if (slowed_ns <= 0) continue;
    const double share = static_cast<double>(waited_ns) / static_cast<double>(beside.LengthWithin(start_ns, end_ns));
    change.SetGpuDuration(row, static_cast<int64_t>(recorded_ns - share * slowed_ns));
  }
  return change;
}

}  // namespace warpscope::rules
