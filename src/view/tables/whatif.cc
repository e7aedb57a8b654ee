// What changes by hand would gain, one row a change.
#include "view/whatif.h"

#include <fmt/format.h>

#include "rules/whatif/what_if.h"
#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

Cell Ns(double ms) { return Int(static_cast<int64_t>(ms * 1e6 + 0.5)); }

std::vector<Cell> RowOf(const std::string& text, const rules::HandOutcome* outcome,
                        const std::optional<analysis::Prediction>& predicted) {
  std::vector<Cell> row = {Text(text)};
  row.push_back(outcome != nullptr && outcome->rows > 0 ? Int(outcome->rows) : Cell{});
  row.push_back(outcome != nullptr && outcome->time_ms ? Ns(*outcome->time_ms) : Cell{});
  row.push_back(outcome != nullptr ? Maybe(outcome->share_pct) : Cell{});
  row.push_back(outcome != nullptr ? Maybe(outcome->most_pct) : Cell{});
  if (!predicted) {
    row.resize(row.size() + 5);
    return row;
  }
  for (const Cell& cell : {Ns(predicted->step_ms_before), Ns(predicted->step_ms_after), Number(predicted->gain_pct),
                           Number(predicted->low_pct), Number(predicted->high_pct)})
    row.push_back(cell);
  return row;
}

std::string Answer(const analysis::Prediction& predicted, size_t changes) {
  return fmt::format("A step of {} would take {} ({}, between {} and {}) with {}.",
                     FormatCell(Ns(predicted.step_ms_before), Kind::kDurationNs),
                     FormatCell(Ns(predicted.step_ms_after), Kind::kDurationNs), FormatChangePct(-predicted.gain_pct),
                     FormatChangePct(-predicted.high_pct), FormatChangePct(-predicted.low_pct),
                     changes == 1 ? "this change" : fmt::format("these {} changes together", changes));
}

// Why the step gains less than the rows do: other device work runs beside them, or the host is the limit once they are
// shorter. "" if it gains about as much.
std::string WhyLess(const rules::HandChange& change, const rules::HandOutcome& outcome) {
  constexpr double kAlike = 0.9, kExplains = 0.5;
  if (!outcome.predicted || outcome.predicted->gain_pct >= kAlike * *outcome.most_pct) return "";
  const double missing = *outcome.most_pct - outcome.predicted->gain_pct;
  const double beside = outcome.beside_pct.value_or(0) * (1 - change.ratio);
  const bool device = outcome.beside_pct.has_value();
  return fmt::format(", and {:.2f} % {}", outcome.predicted->gain_pct,
                     beside >= kExplains * missing ? "since part of it runs beside other work"
                     : device ? "since the CPU is the limit then: what it launches, waits for and computes itself"
                              : "since other work is the limit then");
}

// Amdahl's law in the numbers at hand.
std::string Amdahl(const rules::HandChange& change, const rules::HandOutcome& outcome) {
  return fmt::format("{} is about {:.1f} % of the step: {} of it is {:.2f} % of the step at most{}.", change.text,
                     *outcome.share_pct, change.ratio == 0 ? "all" : fmt::format("{:.0f} %", 100 * (1 - change.ratio)),
                     *outcome.most_pct, WhyLess(change, outcome));
}

}  // namespace

Table WhatIfTable(const rules::WhatIfReport& report) {
  Table table;
  table.name = "whatif";
  table.title = "What the changes would gain";
  table.columns = {{"change", "change", Kind::kName},
                   {"rows", "rows", Kind::kCount, 3},
                   {"time_ns", "a step", Kind::kDurationNs, 2},
                   {"share_pct", "of it", Kind::kPct, 1},
                   {"most_gain_pct", "at most", Kind::kPct, 2},
                   {"step_before_ns", "step now", Kind::kDurationNs, 4},
                   {"step_after_ns", "step then", Kind::kDurationNs},
                   {"gain_pct", "gain", Kind::kPct},
                   {"low_pct", "from", Kind::kPct, 1},
                   {"high_pct", "to", Kind::kPct, 1}};
  for (size_t i = 0; i < report.changes.size(); ++i)
    table.rows.push_back(RowOf(report.changes[i].text, &report.outcomes[i], report.outcomes[i].predicted));
  if (report.together) table.rows.push_back(RowOf("all together", nullptr, report.together));
  table.empty_text =
      "The verdict names no cause whose change can be replayed. Try one of your own: --scale, --drop, --overlap.";
  if (report.changes.empty()) return table;
  const auto& all = report.together ? report.together : report.outcomes.front().predicted;
  if (all) table.summary.push_back(Answer(*all, report.changes.size()));
  if (!report.rank.empty()) table.summary.push_back("About " + report.rank + ".");
  for (size_t i = 0; i < report.changes.size(); ++i) {
    if (report.outcomes[i].most_pct && report.changes[i].ratio < 1)
      table.notes.push_back(Amdahl(report.changes[i], report.outcomes[i]));
  }
  table.notes.push_back(
      "a step, of it: the time that these rows take as recorded. at most: if all that is saved came out of the step. "
      "gain: by replaying the recorded dependencies (docs/whatif.md), with its interval.");
  for (const std::string& note : report.notes) table.notes.push_back(note);
  return table;
}

}  // namespace warpscope::view
