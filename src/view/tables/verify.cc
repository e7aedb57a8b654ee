// What became of a verdict's findings, one row a finding.
#include "view/verify.h"

#include <fmt/format.h>

#include <algorithm>
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

// Causes that made the second step longer, largest first; two at most.
std::vector<const analysis::Cause*> Grown(const rules::Verification& v) {
  std::vector<const analysis::Cause*> grown;
  if (!v.diff) return grown;
  for (const analysis::Cause& cause : v.diff->causes) {
    if (cause.named && cause.beyond_noise && cause.diff_ms > 0) grown.push_back(&cause);
  }
  std::stable_sort(grown.begin(), grown.end(), [](const auto* x, const auto* y) { return x->diff_ms > y->diff_ms; });
  constexpr size_t kMost = 2;
  if (grown.size() > kMost) grown.resize(kMost);
  return grown;
}

// What took the place of `missing_ms` of gain, behind the sentence that tells of it.
std::string Instead(const rules::Verification& v, double missing_ms) {
  if (!v.diff) return ".";
  const std::vector<const analysis::Cause*> grown = Grown(v);
  if (grown.empty())
    return ". Nothing grew beyond noise: what was found takes its time under another name, or promised too much.";
  std::string names;
  double grown_ms = 0;
  for (const analysis::Cause* cause : grown) {
    names += fmt::format("{}{} ({})", names.empty() ? "" : "; ", CauseTitle(*cause, *v.diff, "->"),
                         SignedMs(cause->diff_ms));
    grown_ms += cause->diff_ms;
  }
  constexpr double kMostOfIt = 0.5;
  return grown_ms >= kMostOfIt * missing_ms ? fmt::format(", because this grew: {}.", names)
                                            : fmt::format(". For a part of it this grew: {}.", names);
}

std::string Against(const rules::Verification& v) {
  const analysis::Prediction& predicted = *v.predicted;
  const std::string range =
      fmt::format("{:.1f} % (between {:.1f} and {:.1f} %)", predicted.gain_pct, predicted.low_pct, predicted.high_pct);
  if (v.measured_gain_pct > predicted.high_pct)
    return fmt::format("More than predicted for what was fixed: {:.1f} % instead of {}.", v.measured_gain_pct, range);
  if (v.measured_gain_pct >= predicted.low_pct)
    return fmt::format("As predicted for what was fixed: {:.1f} %, predicted {}.", v.measured_gain_pct, range);
  const double promised_ms = v.before_ms * predicted.gain_pct / 100;
  const std::string instead = Instead(v, promised_ms - (v.before_ms - v.after_ms));
  if (v.word == analysis::ChangeWord::kFaster)
    return fmt::format("Less than predicted for what was fixed: {:.1f} % instead of {}", v.measured_gain_pct, range) +
           instead;
  return fmt::format("Fixed, but the promised {}, {}, did not come: the step takes {}", Ms(promised_ms), range,
                     Ms(v.after_ms)) +
         instead;
}

uint64_t Count(const rules::Verification& v, rules::Fate fate) {
  uint64_t count = 0;
  for (const rules::VerifiedFinding& finding : v.findings) count += finding.fate == fate ? 1 : 0;
  return count;
}

void Answer(const rules::Verification& v, Table* table) {
  table->summary.push_back(Measured(v));
  const std::string promise = PromiseText(v);
  if (!promise.empty()) table->summary.push_back(promise);
  if (v.word == analysis::ChangeWord::kSlower && Count(v, rules::Fate::kFixed) > 0)
    table->summary.push_back("What is not seen any more may only be hidden by what made the step longer.");
  else if (Count(v, rules::Fate::kFixed) + Count(v, rules::Fate::kGone) + Count(v, rules::Fate::kLess) == 0 &&
           !v.findings.empty())
    table->summary.push_back("None of the first recording's findings is gone.");
  for (const std::string& doubt : v.doubts) table->summary.push_back("Doubt: " + doubt);
  for (const analysis::Objection& objection : v.objections) table->summary.push_back("Doubt: " + objection.text + ".");
}

// Why the two are not compared.
void Refusal(const rules::Verification& v, Table* table) {
  bool first = true;
  for (const analysis::Objection& objection : v.objections) {
    table->summary.push_back((first ? "Not comparable: " : "Also: ") + objection.text + ".");
    first = false;
  }
  table->notes.push_back("Compare them all the same: --force.");
}

}  // namespace

std::string PromiseText(const rules::Verification& v) { return v.comparable && v.predicted ? Against(v) : ""; }

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
  if (v.comparable) Answer(v, &table);
  else Refusal(v, &table);
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
