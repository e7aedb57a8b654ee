// Launches by kernel, in distribution, and the queue over time.
#include "analysis/launches.h"

#include <fmt/format.h>

#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

using analysis::Distribution;
using analysis::LaunchSummary;

Table ByKernel(const Subject& subject) {
  Table table;
  table.name = "launches";
  table.title = "Launches by kernel, most launched first";
  table.columns = {FullName(),
                   {"kernel", "kernel", Kind::kName},
                   {"count", "launches", Kind::kCount},
                   {"call_mean_ns", "call", Kind::kDurationNs},
                   {"kernel_mean_ns", "kernel", Kind::kDurationNs},
                   {"delay_median_ns", "start after call", Kind::kDurationNs},
                   {"delay_p95_ns", "95 % within", Kind::kDurationNs, 2},
                   {"shorter_than_launch", "shorter than call", Kind::kCount, 1},
                   {"call_ns", "calls in all", Kind::kDurationNs, 3},
                   {"kernel_ns", "kernels in all", Kind::kDurationNs, 4}};
  for (const auto& row : analysis::LaunchesByKernel(subject.index, subject.host_scope)) {
    const auto mean = [&](int64_t total_ns) {
      return row.count > 0 ? Number(static_cast<double>(total_ns) / static_cast<double>(row.count)) : Cell{};
    };
    table.rows.push_back({NameCell(subject, row.name), Text(ShortKernel(subject.trace().Text(row.name))),
                          Int(row.count), mean(row.call_ns), mean(row.kernel_ns),
                          Of(row.delay_from_call_end, row.delay_from_call_end.median_ns),
                          Of(row.delay_from_call_end, row.delay_from_call_end.p95_ns), Int(row.shorter_than_launch),
                          Int(row.call_ns), Int(row.kernel_ns)});
  }
  table.notes = {
      "A kernel that starts at once after its call shows a device that waits for the host; one that starts late, a "
      "full queue.",
      "More: --by summary, --by queue."};
  return table;
}

Table Summary(const LaunchSummary& launches) {
  Table table;
  table.name = "launches.summary";
  table.title = "Launches: times in distribution";
  table.columns = {{"what", "what", Kind::kText},
                   {"count", "count", Kind::kCount},
                   {"median_ns", "median", Kind::kDurationNs},
                   {"mean_ns", "mean", Kind::kDurationNs},
                   {"p95_ns", "95 % within", Kind::kDurationNs},
                   {"min_ns", "min", Kind::kDurationNs},
                   {"max_ns", "max", Kind::kDurationNs},
                   {"sum_ns", "sum", Kind::kDurationNs}};
  const auto add = [&](std::string_view what, const Distribution& times) {
    if (times.count == 0) return;
    table.rows.push_back({Text(what), Int(times.count), Number(times.median_ns), Number(times.mean_ns),
                          Number(times.p95_ns), Int(times.min_ns), Int(times.max_ns), Int(times.sum_ns)});
  };
  add("launch call", launches.call);
  add("graph launch call", launches.graph_call);
  add("kernel", launches.kernel);
  add("start after call began", launches.delay_from_call_start);
  add("start after call ended", launches.delay_from_call_end);
  add("the same, stream idle", launches.idle_delay);
  add("from call to next call", launches.host_interval);
  return table;
}

Table Queue(const Subject& subject) {
  Table table;
  table.name = "launches.queue";
  table.title = "Work issued and not finished yet, at every change";
  table.columns = {{"time_ns", "at", Kind::kTimeNs}, {"depth", "in the queue", Kind::kCount}};
  for (const auto& point : analysis::QueueDepth(subject.index, subject.device_scope)) {
    table.rows.push_back({TimeCell(subject, point.time_ns), Int(point.depth)});
  }
  return table;
}

void Sentences(Table& table, const LaunchSummary& launches) {
  if (launches.launches == 0) return;
  std::string line = Plural(launches.launches, "launch call");
  if (launches.launches_per_step) line += fmt::format(", {} a step", FormatNumber(*launches.launches_per_step));
  if (launches.call.count > 0)
    line += fmt::format("; a kernel launch takes the host {}", FormatDurationNs(launches.call.median_ns));
  if (launches.kernel.count > 0)
    line += fmt::format(", a kernel {} (medians)", FormatDurationNs(launches.kernel.median_ns));
  table.summary.push_back(line + ".");
  table.summary.push_back(
      fmt::format("The device waited for the host to launch {} of the time ({}); up to {} in the queue, {} on average.",
                  FormatPct(launches.host_late_pct), FormatDurationNs(static_cast<double>(launches.host_late_ns)),
                  FormatCount(launches.queue_depth_max), FormatNumber(launches.queue_depth_mean)));
  if (launches.graph_launches > 0) {
    table.summary.push_back(fmt::format("{} issued {}.", Plural(launches.graph_launches, "graph launch"),
                                        Plural(launches.graph_nodes, "item")));
  }
  if (launches.blocked_launches > 0) {
    table.summary.push_back(fmt::format("{} found the queue full and waited {}.",
                                        Plural(launches.blocked_launches, "launch call"),
                                        FormatDurationNs(static_cast<double>(launches.blocked_ns))));
  }
}

}  // namespace

Table LaunchTable(const Subject& subject, LaunchesBy by) {
  const LaunchSummary launches = analysis::SummarizeLaunches(subject.index, subject.host_scope, subject.whole_steps());
  Table table;
  switch (by) {
    case LaunchesBy::kKernel: table = ByKernel(subject); break;
    case LaunchesBy::kSummary: table = Summary(launches); break;
    case LaunchesBy::kQueue: table = Queue(subject); break;
  }
  if (by != LaunchesBy::kQueue) Sentences(table, launches);
  table.empty_text =
      "No launch could be linked to its device work: either no API calls or no device records were recorded.";
  return table;
}

}  // namespace warpscope::view
