// Who holds memory at a moment, by the place that allocated it.
#include "view/memory_holders.h"

#include <fmt/format.h>

#include "analysis/allocations.h"
#include "analysis/memory_usage.h"
#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {

namespace {

std::string_view PlaceOf(const analysis::Holder& holder) {
  if (!holder.where.empty()) return holder.where;
  return holder.from_before ? "allocated before the recording" : "no stack recorded";
}

}  // namespace

Table MemoryHoldersTable(const Subject& subject, std::optional<int64_t> at_ns) {
  const analysis::MemoryUsage usage = analysis::SummarizeMemory(subject.index, subject.host_scope);
  Table table;
  table.name = "memory.stack";
  table.title = at_ns ? "Who holds memory at that moment" : "Who holds memory at the peak";
  table.columns = {
      {"device", "device", Kind::kName, 4},       {"bytes", "holds", Kind::kBytes},
      {"share_pct", "of all", Kind::kPct},        {"count", "blocks", Kind::kCount},
      {"age_ns", "oldest", Kind::kDurationNs, 2}, {"where", "allocated in", Kind::kName},
      {"caller", "called from", Kind::kName, 3},  {"from_before", "older than the recording", Kind::kText, kDataOnly},
      {"at_ns", "at", Kind::kTimeNs, kDataOnly},  {"stack", "stack", Kind::kName, kDataOnly}};
  const analysis::Allocations allocations = analysis::FindAllocations(subject.index, subject.host_scope);
  for (const auto& device : usage.devices) {
    const int64_t time_ns = at_ns.value_or(device.peak_time_ns);
    const auto holders = analysis::HoldersAt(subject.index, allocations, device.device, time_ns);
    int64_t all_bytes = 0;
    for (const analysis::Holder& holder : holders) all_bytes += holder.bytes;
    table.summary.push_back(fmt::format("{}: {} in use at {}.", DeviceLabel(subject.trace(), device.device),
                                        FormatBytes(static_cast<double>(all_bytes)),
                                        FormatDurationNs(static_cast<double>(time_ns - subject.origin_ns))));
    for (const analysis::Holder& holder : holders) {
      table.rows.push_back({Text(DeviceLabel(subject.trace(), device.device)), Int(holder.bytes),
                            PctOf(static_cast<double>(holder.bytes), static_cast<double>(all_bytes)), Int(holder.count),
                            Int(time_ns - holder.oldest_ns), Text(PlaceOf(holder)), Text(holder.caller),
                            Text(holder.from_before ? "yes" : "no"), TimeCell(subject, time_ns), Text(holder.stack)});
    }
  }
  if (!table.rows.empty() && !allocations.has_stacks) {
    table.notes.push_back(
        "No stacks are known. PyTorch: with_stack=True beside profile_memory=True, or a memory snapshot "
        "(torch.cuda.memory._dump_snapshot).");
  }
  table.notes.push_back("Another moment: --at 12.5ms. Whole stacks: --wide or --json.");
  table.empty_text = "No memory events were recorded. For PyTorch: record with profile_memory=True.";
  return table;
}

}  // namespace warpscope::view
