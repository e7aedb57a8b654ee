#include "rules/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/gate/other_program.h"
#include "rules/typical_context.h"

namespace warpscope::rules {
namespace {

constexpr double kLessRatio = 0.5;

const Finding* SameCause(const Finding& finding, const Verdict& verdict) {
  const Finding* same = nullptr;
  for (const Finding& other : verdict.findings) {
    if (other.id != finding.id) continue;
    // Of several with one id the one about the same subject; a changed program may have renamed it.
    if (same == nullptr || other.subject == finding.subject) same = &other;
  }
  return same;
}

Fate FateOf(const Finding& finding, const Verdict& after, std::optional<double>* gain_now_pct) {
  const Finding* same = SameCause(finding, after);
  if (same == nullptr) {
    const bool abstained = std::any_of(after.abstained.begin(), after.abstained.end(),
                                       [&](const Abstention& abstention) { return abstention.id == finding.id; });
    return abstained ? Fate::kNotJudged : finding.predicted ? Fate::kFixed : Fate::kGone;
  }
  if (!same->predicted) return Fate::kRemains;
  *gain_now_pct = same->predicted->gain_pct;
  const bool less = finding.predicted && same->predicted->gain_pct < kLessRatio * finding.predicted->gain_pct;
  return less ? Fate::kLess : Fate::kRemains;
}

// Fixed or smaller, standing alone, and with a prediction.
std::vector<const Finding*> FixedOf(const std::vector<VerifiedFinding>& findings) {
  std::vector<const Finding*> fixed;
  for (const VerifiedFinding& finding : findings) {
    const bool gone = finding.fate == Fate::kFixed || finding.fate == Fate::kLess;
    if (gone && finding.before.predicted && finding.before.caused_by.empty()) fixed.push_back(&finding.before);
  }
  return fixed;
}

// The gain of all fixed findings at once, in the first recording.
std::optional<analysis::Prediction> Predicted(const model::Trace& trace, const AnalyzeOptions& options,
                                              const std::vector<VerifiedFinding>& findings) {
  analysis::WhatIf change;
  std::vector<const Finding*> fixed = FixedOf(findings);
  std::erase_if(fixed, [](const Finding* finding) { return finding->change.empty(); });
  for (const Finding* finding : fixed) change.Add(finding->change);
  if (fixed.size() == 1) return fixed.front()->predicted;
  if (change.empty()) return std::nullopt;
  const analysis::Index index(trace);
  const auto context =
      BuildTypicalContext(index, RankToJudge(index, options), {options.true_step_ms, options.file_argument, {}})
          .context;
  return context->Predict(change, analysis::Side::kHost);
}

std::set<std::string> DeviceNames(const Verdict& verdict) {
  std::set<std::string> names;
  for (const DeviceSummary& device : verdict.devices) names.insert(device.name);
  return names;
}

std::vector<std::string> Doubts(const Verdict& before, const Verdict& after) {
  std::vector<std::string> doubts;
  if (DeviceNames(before) != DeviceNames(after)) doubts.push_back("They ran on different devices.");
  if (before.step_source != after.step_source)
    doubts.push_back(
        fmt::format("Steps were found differently: {} and {}. Mark steps alike, or give --step-ms for both.",
                    before.step_source, after.step_source));
  if (before.source.format != after.source.format)
    doubts.push_back(
        "They come from different recorders, whose costs differ: give both step times (--before-ms, --after-ms).");
  return doubts;
}

// The recorded steps decide, as for `diff` and `gate`. Where a step was measured without a recorder their noise lies
// around the verdicts' steps.
void JudgeMeasured(const VerifiedSide& before, const VerifiedSide& after, Verification* result) {
  const auto judged = analysis::JudgeRecorded(before.runs, after.runs);
  if (!judged) return;
  result->few = judged->steps.few;
  if (before.true_step || after.true_step) {
    const analysis::StepJudgement& recorded = judged->recorded;
    result->shift = analysis::Recentred(recorded.shift(), result->before_ms, result->after_ms);
    result->word =
        recorded.few ? recorded.word : analysis::WordOf(*result->shift, analysis::JudgeOptions().min_effect_pct);
    return;
  }
  result->word = judged->steps.word, result->shift = judged->steps.shift();
  result->before_ms = result->shift->base, result->after_ms = result->shift->next;
  result->measured_gain_pct = 100 * (1 - result->after_ms / result->before_ms);
  result->without_recorder = judged->times == analysis::StepTimes::kWithoutRecorder;
  result->recorder_at_most_pct = judged->unknown_at_most_pct;
}

// By the parts of the steps, as `diff` does; false: refused. A fix may replace most kernels, and that the two are one
// program before and after it is what the user says: other kernels are a doubt here, where `diff` refuses.
bool IsComparable(const VerifiedSide& before, const VerifiedSide& after, const analysis::Words& words, bool force,
                  Verification* result) {
  if (!before.side || !after.side) return true;
  analysis::DiffOptions options;
  options.force = force;
  options.name_a = "the first", options.name_b = "the second";
  options.runs_a = before.runs, options.runs_b = after.runs;
  options.any_program = true;
  result->diff = analysis::Compare(*before.side, *after.side, words, options);
  result->objections = result->diff->objections;
  if (auto other = analysis::OtherProgram(*before.side, *after.side, words, options.name_a, options.name_b))
    result->objections.push_back(std::move(*other));
  result->comparable = force || result->diff->comparable_pct >= analysis::kComparablePct;
  return result->comparable;
}

// The verdict's step; where the steps cannot be replayed the recorded one. 0 without steps.
double StepMsOf(const VerifiedSide& side) {
  if (side.verdict.base_step_ms) return *side.verdict.base_step_ms;
  const bool has_steps = side.side && side.side->source != analysis::StepSource::kWholeWindow;
  return has_steps ? analysis::MedianOf(side.side->step_ms) : 0;
}

Verification Refused(Verification result, const Verdict& first) {
  for (const Finding& finding : first.findings) result.findings.push_back({finding, Fate::kNotJudged, {}});
  return result;
}

Status NoSteps(std::string_view which, const Verdict& verdict) {
  return {StatusCode::kUnsupported,
          fmt::format("the {} recording ({}) has no step time to compare. Give timelines of the "
                      "program before and after: warpscope record, torch.profiler, nsys.",
                      which, verdict.source.path)};
}

}  // namespace

std::optional<analysis::RunSide> RecordedSide(const model::Trace& trace, const AnalyzeOptions& options,
                                              analysis::Words* words) {
  const analysis::Index index(trace);
  if (index.ranks().empty()) return std::nullopt;  // no timeline
  return analysis::RunSideOf(index, RankToJudge(index, options).link_domain, words);
}

std::string_view FateText(Fate fate) {
  switch (fate) {
    case Fate::kFixed: return "fixed";
    case Fate::kGone: return "no longer found";
    case Fate::kLess: return "less";
    case Fate::kRemains: return "remains";
    case Fate::kNotJudged: return "not judged";
  }
  return "";
}

Result<Verification> VerifySides(const VerifiedSide& before, const VerifiedSide& after, const analysis::Words& words,
                                 const VerifyOptions& options) {
  const Verdict& first = before.verdict;
  const Verdict& second = after.verdict;
  const double first_ms = StepMsOf(before), second_ms = StepMsOf(after);
  if (!(first_ms > 0)) return NoSteps("first", first);
  if (!(second_ms > 0)) return NoSteps("second", second);
  Verification result;
  result.before_ms = first_ms;
  result.after_ms = second_ms;
  result.measured_gain_pct = 100 * (1 - result.after_ms / result.before_ms);
  if (!IsComparable(before, after, words, options.force, &result)) return Refused(std::move(result), first);
  JudgeMeasured(before, after, &result);
  for (const Finding& finding : first.findings) {
    VerifiedFinding verified;
    verified.fate = FateOf(finding, second, &verified.gain_now_pct);
    verified.before = finding;
    result.findings.push_back(std::move(verified));
  }
  const std::vector<const Finding*> fixed = FixedOf(result.findings);
  if (fixed.size() == 1) result.predicted = fixed.front()->predicted;
  if (!second.findings.empty()) result.next = second.findings.front();
  for (std::string& doubt : Doubts(first, second)) result.doubts.push_back(std::move(doubt));
  return result;
}

Result<Verification> Verify(const model::Trace& before, const AnalyzeOptions& before_options, const model::Trace& after,
                            const AnalyzeOptions& after_options, const VerifyOptions& options) {
  analysis::Words words;
  const auto side_of = [&](const model::Trace& trace, const AnalyzeOptions& of) -> Result<VerifiedSide> {
    WS_ASSIGN_OR_RETURN(Verdict verdict, Analyze(trace, of));
    VerifiedSide side{std::move(verdict), {}, of.true_step_ms.has_value(), RecordedSide(trace, of, &words)};
    if (side.side) side.runs = {{side.side->step_ms, side.side->recorder}};
    return side;
  };
  WS_ASSIGN_OR_RETURN(const VerifiedSide first, side_of(before, before_options));
  WS_ASSIGN_OR_RETURN(const VerifiedSide second, side_of(after, after_options));
  WS_ASSIGN_OR_RETURN(Verification result, VerifySides(first, second, words, options));
  result.predicted = Predicted(before, before_options, result.findings);
  return result;
}

}  // namespace warpscope::rules
