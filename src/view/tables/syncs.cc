// Blocking calls by caller or one by one.
#include "analysis/syncs.h"

#include <fmt/format.h>

#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

using analysis::SyncSummary;

Table ByCaller(const SyncSummary& syncs) {
  Table table;
  table.name = "syncs";
  table.title = "Calls that made the host wait for the device, most idle time caused first";
  table.columns = {{"call", "call", Kind::kName},
                   {"caller", "made by", Kind::kName},
                   {"count", "count", Kind::kCount},
                   {"caused_idle_ns", "idle caused", Kind::kDurationNs},
                   {"waited_ns", "waited", Kind::kDurationNs, 1},
                   {"total_ns", "in the call", Kind::kDurationNs, 2},
                   {"kind", "kind", Kind::kText, 3},
                   {"recorder", "by the profiler", Kind::kText, 4}};
  for (const auto& row : syncs.groups) {
    table.rows.push_back({Text(row.call), Text(row.caller), Int(row.count), Int(row.caused_idle_ns), Int(row.waited_ns),
                          Int(row.total_ns), Text(analysis::SyncCallKindName(row.kind)),
                          Text(row.recorder ? "yes" : "no")});
  }
  return table;
}

Table EachCall(const Subject& subject, const SyncSummary& syncs) {
  Table table;
  table.name = "syncs.call";
  table.title = "Each call that made the host wait for the device, in time order";
  table.columns = {{"start_ns", "at", Kind::kTimeNs},
                   {"call", "call", Kind::kName},
                   {"total_ns", "in the call", Kind::kDurationNs},
                   {"waited_ns", "waited", Kind::kDurationNs},
                   {"caused_idle_ns", "idle caused", Kind::kDurationNs},
                   {"idle_after_ns", "idle after", Kind::kDurationNs, 3},
                   {"host_after_ns", "to next launch", Kind::kDurationNs, 4},
                   {"polls", "polls", Kind::kCount, 5},
                   {"kind", "kind", Kind::kText, 2}};
  for (const auto& row : syncs.calls) {
    table.rows.push_back({TimeCell(subject, row.begin_ns), Text(subject.trace().HostName(row.row)),
                          Int(row.end_ns - row.begin_ns), Int(row.waited_ns), Int(row.caused_idle_ns),
                          Int(row.idle_after_ns), Int(row.host_after_ns), row.polls > 0 ? Int(row.polls) : Cell{},
                          Text(analysis::SyncCallKindName(row.kind))});
  }
  return table;
}

}  // namespace

Table SyncTable(const Subject& subject, SyncsBy by) {
  const SyncSummary syncs = analysis::SummarizeSyncs(subject.index, subject.host_scope);
  Table table = by == SyncsBy::kCaller ? ByCaller(syncs) : EachCall(subject, syncs);
  if (!syncs.calls.empty()) {
    table.summary.push_back(fmt::format(
        "The host spent {} in such calls, {} of it on work that had to be done; the device then stood idle for {}.",
        FormatDurationNs(static_cast<double>(syncs.total_ns)), FormatDurationNs(static_cast<double>(syncs.waited_ns)),
        FormatDurationNs(static_cast<double>(syncs.caused_idle_ns))));
  }
  table.notes = {
      "idle caused: time in which the device had nothing to do because the host had waited instead of running ahead."};
  table.empty_text = "No call made the host wait for the device.";
  return table;
}

}  // namespace warpscope::view
