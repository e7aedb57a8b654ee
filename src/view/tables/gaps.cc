// Idle gaps by cause, by what the host did, or one by one.
#include "analysis/gaps.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/device_time.h"
#include "rules/breakdown.h"
#include "rules/program_words.h"
#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

using analysis::GapCause;
using analysis::GapSummary;

struct CauseRow {
  GapCause cause;
  int64_t total_ns;
};

// Largest first, then in the order of the causes.
std::vector<CauseRow> Causes(const GapSummary& gaps) {
  std::vector<CauseRow> rows;
  for (size_t i = 0; i < analysis::kGapCauses; ++i) {
    if (gaps.by_cause_ns[i] > 0) rows.push_back({static_cast<GapCause>(i), gaps.by_cause_ns[i]});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const CauseRow& a, const CauseRow& b) { return a.total_ns > b.total_ns; });
  return rows;
}

int64_t WindowNs(const Subject& subject) {
  int64_t window_ns = 0;
  for (const auto& device : analysis::DeviceTimes(subject.index, subject.device_scope))
    window_ns += device.end_ns - device.begin_ns;
  return window_ns;
}

Table ByCause(const Subject& subject, const GapSummary& gaps, int64_t window_ns) {
  Table table;
  table.name = "gaps";
  table.title = "Why the device was idle";
  table.columns = {{"cause", "cause", Kind::kText, kDataOnly},
                   {"meaning", "meanwhile the CPU", Kind::kText},
                   {"idle_ns", "device idle", Kind::kDurationNs},
                   {"share_of_idle_pct", "of idle", Kind::kPct},
                   {"share_of_window_pct", "of time", Kind::kPct},
                   {"gaps", "gaps", Kind::kCount, 3},
                   {"subject", "mostly", Kind::kName}};
  const model::Trace& trace = subject.trace();
  const bool python =
      (!trace.sources.empty() && trace.sources.front().format == "kineto") || rules::IsPythonProgram(trace);
  for (const CauseRow& row : Causes(gaps)) {
    uint64_t count = 0;
    model::StringId mostly = model::kNoString;
    for (const analysis::GapSubject& what : gaps.subjects) {
      if (what.cause != row.cause) continue;
      count += what.gaps;
      if (mostly == model::kNoString) mostly = what.user_frame != model::kNoString ? what.user_frame : what.subject;
    }
    table.rows.push_back({Text(analysis::GapCauseName(row.cause)), Text(rules::HostWords(row.cause, python)),
                          Int(row.total_ns),
                          PctOf(static_cast<double>(row.total_ns), static_cast<double>(gaps.idle_ns)),
                          PctOf(static_cast<double>(row.total_ns), static_cast<double>(window_ns)), Int(count),
                          NameCell(subject, mostly)});
  }
  table.notes = {"More: --by subject (operator, call or line), --list (every long gap)."};
  return table;
}

Table BySubject(const Subject& subject, const GapSummary& gaps) {
  Table table;
  table.name = "gaps.subject";
  table.title = "What the host did while the device was idle";
  table.columns = {{"cause", "cause", Kind::kText},
                   {"subject", "operator, call or frame", Kind::kName},
                   {"idle_ns", "device idle", Kind::kDurationNs},
                   {"share_of_idle_pct", "of idle", Kind::kPct},
                   {"gaps", "gaps", Kind::kCount},
                   {"line", "source line", Kind::kName, 2}};
  for (const analysis::GapSubject& what : gaps.subjects) {
    table.rows.push_back({Text(analysis::GapCauseName(what.cause)), NameCell(subject, what.subject), Int(what.total_ns),
                          PctOf(static_cast<double>(what.total_ns), static_cast<double>(gaps.idle_ns)), Int(what.gaps),
                          NameCell(subject, what.user_frame)});
  }
  return table;
}

Table EachGap(const Subject& subject, const GapSummary& gaps) {
  const model::Trace& trace = subject.trace();
  Table table;
  table.name = "gaps.list";
  table.title =
      fmt::format("Idle gaps of at least {}, in time order", FormatDurationNs(static_cast<double>(gaps.threshold_ns)));
  table.columns = {{"start_ns", "at", Kind::kTimeNs},
                   {"dur_ns", "idle", Kind::kDurationNs},
                   {"device", "device", Kind::kId, 5},
                   {"step", "step", Kind::kId, 4},
                   {"cause", "cause", Kind::kText},
                   {"cause_ns", "of it", Kind::kDurationNs, 3},
                   {"subject", "mostly", Kind::kName},
                   {"ended", "after this ended", Kind::kName, 6},
                   {"started", "until this started", Kind::kName, 2},
                   {"ended_name", "full name before", Kind::kName, kDataOnly},
                   {"started_name", "full name after", Kind::kName, kDataOnly}};
  for (const analysis::Gap& gap : gaps.gaps) {
    const bool parts = !gap.parts.empty();
    table.rows.push_back({TimeCell(subject, gap.begin_ns), Int(gap.dur_ns()), Int(trace.devices[gap.device].id),
                          gap.step == model::kNone ? Cell{} : Int(gap.step), Text(analysis::GapCauseName(gap.cause)),
                          parts ? Int(gap.parts[0].dur_ns) : Cell{},
                          parts ? NameCell(subject, gap.parts[0].subject) : Cell{}, ShortGpuName(subject, gap.before),
                          ShortGpuName(subject, gap.after), GpuNameCell(subject, gap.before),
                          GpuNameCell(subject, gap.after)});
  }
  return table;
}

}  // namespace

Table GapTable(const Subject& subject, GapsBy by) {
  const GapSummary gaps = analysis::FindGaps(subject.index, subject.device_scope, &subject.steps);
  const int64_t window_ns = WindowNs(subject);
  Table table;
  switch (by) {
    case GapsBy::kCause: table = ByCause(subject, gaps, window_ns); break;
    case GapsBy::kSubject: table = BySubject(subject, gaps); break;
    case GapsBy::kGap: table = EachGap(subject, gaps); break;
  }
  if (window_ns > 0) {
    std::string line = fmt::format("Idle {} of {} ({})", FormatDurationNs(static_cast<double>(gaps.idle_ns)),
                                   FormatDurationNs(static_cast<double>(window_ns)),
                                   FormatPct(100 * static_cast<double>(gaps.idle_ns) / static_cast<double>(window_ns)));
    if (gaps.idle_per_step_ms && subject.whole_steps())
      line += fmt::format(", {} a step", FormatMs(*gaps.idle_per_step_ms));
    table.summary.push_back(fmt::format(
        "{}; {} over {}, {} shorter ones make up {}.", line, Plural(gaps.gaps.size(), "gap"),
        FormatDurationNs(static_cast<double>(gaps.threshold_ns)), FormatCount(static_cast<int64_t>(gaps.short_gaps)),
        FormatDurationNs(static_cast<double>(gaps.short_gap_ns))));
  }
  table.empty_text = window_ns > 0 ? "The device was never idle." : "No device work was recorded.";
  if (window_ns <= 0 && subject.trace().host.size() > 0)
    table.empty_text += " Where the host's own time went: warpscope host.";
  return table;
}

}  // namespace warpscope::view
