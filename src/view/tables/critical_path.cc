// The critical path by what it consists of, or item by item.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/replay/simulator.h"
#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

using Item = analysis::Simulator::PathItem;

std::string_view KindText(Item::Kind kind) {
  switch (kind) {
    case Item::kHostGap: return "host work";
    case Item::kHostCall: return "host call";
    case Item::kHostWait: return "host waits";
    case Item::kGpu: return "device";
    case Item::kLaunchLatency: return "launch latency";
  }
  return "";
}

std::string_view NameOf(const model::Trace& trace, const Item& item) {
  if (item.row == model::kNone) return "";
  return item.kind == Item::kGpu ? trace.GpuName(item.row) : trace.HostName(item.row);
}

Cell ShortName(Item::Kind kind, std::string_view name) {
  return kind == Item::kGpu ? Text(ShortKernel(name)) : Text(name);
}

int64_t Total(const std::vector<Item>& path) {
  int64_t total_ns = 0;
  for (const Item& item : path) total_ns += item.dur_ns;
  return total_ns;
}

Table ByWhat(const Subject& subject, const std::vector<Item>& path) {
  struct Sum {
    int64_t total_ns = 0;
    uint64_t count = 0;
  };
  std::map<std::pair<Item::Kind, std::string_view>, Sum> sums;
  for (const Item& item : path) {
    Sum& sum = sums[{item.kind, NameOf(subject.trace(), item)}];
    sum.total_ns += item.dur_ns;
    ++sum.count;
  }
  std::vector<std::pair<std::pair<Item::Kind, std::string_view>, Sum>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.total_ns > b.second.total_ns; });
  Table table;
  table.name = "critical-path";
  table.title = "What the critical path consists of, most time first";
  table.columns = {{"kind", "what", Kind::kText},
                   FullName(),
                   {"short_name", "kernel or call", Kind::kName},
                   {"count", "count", Kind::kCount},
                   {"total_ns", "on the path", Kind::kDurationNs},
                   {"share_pct", "of the path", Kind::kPct}};
  const auto whole = static_cast<double>(Total(path));
  for (const auto& [key, sum] : rows) {
    table.rows.push_back({Text(KindText(key.first)), Text(key.second), ShortName(key.first, key.second), Int(sum.count),
                          Int(sum.total_ns), PctOf(static_cast<double>(sum.total_ns), whole)});
  }
  table.notes = {
      "Only what is on the path can shorten the step; the rest runs beside it. Every item in order: --list."};
  return table;
}

Table EachItem(const Subject& subject, const std::vector<Item>& path) {
  const model::Trace& trace = subject.trace();
  Table table;
  table.name = "critical-path.list";
  table.title = "The critical path, in time order";
  table.columns = {{"start_ns", "at", Kind::kTimeNs},
                   {"dur_ns", "on the path", Kind::kDurationNs},
                   {"kind", "what", Kind::kText},
                   FullName(),
                   {"short_name", "kernel or call", Kind::kName},
                   {"thread", "thread", Kind::kId, 2},
                   {"stream", "stream", Kind::kId, 2}};
  for (const Item& item : path) {
    const bool gpu = item.kind == Item::kGpu && item.row != model::kNone;
    table.rows.push_back({TimeCell(subject, item.start_ns), Int(item.dur_ns), Text(KindText(item.kind)),
                          Text(NameOf(trace, item)), ShortName(item.kind, NameOf(trace, item)),
                          item.thread == model::kNone ? Cell{} : Int(trace.threads[item.thread].tid),
                          gpu ? Int(trace.streams[trace.gpu.stream[item.row]].id) : Cell{}});
  }
  return table;
}

void Composition(Table& table, const std::vector<Item>& path) {
  const auto whole = static_cast<double>(Total(path));
  if (whole <= 0) return;
  int64_t by_kind_ns[5] = {};
  for (const Item& item : path) by_kind_ns[item.kind] += item.dur_ns;
  std::vector<std::pair<int64_t, Item::Kind>> order;
  for (const auto kind : {Item::kGpu, Item::kHostGap, Item::kHostCall, Item::kHostWait, Item::kLaunchLatency}) {
    if (by_kind_ns[kind] > 0) order.emplace_back(by_kind_ns[kind], kind);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string line;
  for (const auto& [ns, kind] : order) {
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", KindText(kind),
                        FormatPct(100 * static_cast<double>(ns) / whole));
  }
  table.summary.push_back(fmt::format("{} long: {}.", FormatDurationNs(whole), line));
}

}  // namespace

Table CriticalPathTable(const Subject& subject, const analysis::Simulator& simulator, PathBy by) {
  const std::vector<Item> path = simulator.CriticalPath();
  Table table = by == PathBy::kWhat ? ByWhat(subject, path) : EachItem(subject, path);
  Composition(table, path);
  for (const std::string& note : simulator.notes()) table.notes.push_back(note);
  table.empty_text = "The path is empty: no step could be replayed.";
  return table;
}

}  // namespace warpscope::view
