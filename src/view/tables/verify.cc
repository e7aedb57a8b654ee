// What became of a verdict's findings, one row a finding.
#include "view/verify.h"

#include <fmt/format.h>

#include <cmath>

#include "view/diff_view.h"
#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

std::string Ms(double ms) { return FormatCell(Int(static_cast<int64_t>(ms * 1e6 + 0.5)), Kind::kDurationNs); }

std::string Measured(const rules::Verification& v) {
  const double gain = v.measured_gain_pct;
  const std::string times = fmt::format("{} -> {} a step{}", Ms(v.before_ms), Ms(v.after_ms),
                                        v.without_recorder ? " without the recorder" : "");
  std::string change = FormatChangePct(-gain);
  if (v.shift && !v.few)
    change += fmt::format(", between {} and {}", FormatChangePct(v.shift->low_pct), FormatChangePct(v.shift->high_pct));
  const std::string of = v.without_recorder ? "" : Behind(AsRecorded(v.recorder_at_most_pct));
  if (!v.word || *v.word == analysis::ChangeWord::kNoDifference)
    return fmt::format("No difference beyond noise: {} ({}).", times, change) + of;
  return fmt::format("{}: {} ({}).", *v.word == analysis::ChangeWord::kFaster ? "Faster" : "Slower", times, change) +
         of;
}

std::string Against(const rules::Verification& v) {
  const analysis::Prediction& predicted = *v.predicted;
  const std::string range =
      fmt::format("{:.1f} % (between {:.1f} and {:.1f} %)", predicted.gain_pct, predicted.low_pct, predicted.high_pct);
  if (v.measured_gain_pct > predicted.high_pct)
    return fmt::format("More than predicted for what was fixed: {:.1f} % instead of {}.", v.measured_gain_pct, range);
  if (v.measured_gain_pct < predicted.low_pct)
    return fmt::format("Less than predicted for what was fixed: {:.1f} % instead of {}.", v.measured_gain_pct, range);
  return fmt::format("As predicted for what was fixed: {:.1f} %, predicted {}.", v.measured_gain_pct, range);
}

uint64_t Count(const rules::Verification& v, rules::Fate fate) {
  uint64_t count = 0;
  for (const rules::VerifiedFinding& finding : v.findings) count += finding.fate == fate ? 1 : 0;
  return count;
}

}  // namespace

Table VerifyTable(const rules::Verification& v) {
  Table table;
  table.name = "verify";
  table.title = "What became of the findings of the first recording";
  table.columns = {{"id", "finding", Kind::kText},      {"subject", "about", Kind::kName, 2},
                   {"fate", "now", Kind::kText},        {"predicted_gain_pct", "predicted", Kind::kPct},
                   {"low_pct", "from", Kind::kPct, 1},  {"high_pct", "to", Kind::kPct, 1},
                   {"gain_now_pct", "left", Kind::kPct}};
  for (const rules::VerifiedFinding& finding : v.findings) {
    const auto& predicted = finding.before.predicted;
    table.rows.push_back({Text(finding.before.id), Text(finding.before.subject), Text(rules::FateText(finding.fate)),
                          predicted ? Number(predicted->gain_pct) : Cell{},
                          predicted ? Number(predicted->low_pct) : Cell{},
                          predicted ? Number(predicted->high_pct) : Cell{}, Maybe(finding.gain_now_pct)});
  }
  table.summary.push_back(Measured(v));
  if (v.predicted) table.summary.push_back(Against(v));
  else if (v.measured_gain_pct < 0 && Count(v, rules::Fate::kFixed) > 0)
    table.summary.push_back("What is not seen any more may only be hidden by what made the step longer.");
  else if (Count(v, rules::Fate::kFixed) + Count(v, rules::Fate::kGone) + Count(v, rules::Fate::kLess) == 0 &&
           !v.findings.empty())
    table.summary.push_back("None of the first recording's findings is gone.");
  for (const std::string& doubt : v.doubts) table.summary.push_back("Doubt: " + doubt);
  if (v.next) {
    table.notes.push_back(
        fmt::format("Next: {}: {}{}.", v.next->id, v.next->title,
                    v.next->predicted ? fmt::format(" (gain {:.1f} %)", v.next->predicted->gain_pct) : ""));
  }
  table.notes.push_back(
      "predicted: the gain that the first recording promised for this change alone, of its step. left: what the second "
      "recording still promises for the same cause, of its own step.");
  table.empty_text = "The first recording's verdict names no cause.";
  return table;
}

}  // namespace warpscope::view
