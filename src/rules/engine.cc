#include "rules/engine.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "analysis/device_time.h"
#include "analysis/recordings.h"
#include "rules/breakdown.h"
#include "rules/capture_words.h"
#include "rules/context.h"
#include "rules/framework/rank_pace.h"
#include "rules/given_step.h"
#include "rules/host_answer.h"
#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/measurements.h"
#include "rules/other_devices.h"
#include "rules/program_words.h"
#include "rules/rank_findings.h"
#include "rules/rule.h"
#include "rules/shared_device.h"
#include "rules/text.h"
#include "rules/too_little.h"
#include "rules/typical_context.h"
#include "rules/vendor_words.h"

namespace warpscope::rules {
namespace {

using analysis::Index;
using analysis::Rank;

constexpr double kMostlyBusyPct = 80;

std::string_view StepSourceText(analysis::StepSource source) {
  switch (source) {
    case analysis::StepSource::kProfilerStep: return "ProfilerStep annotations";
    case analysis::StepSource::kUserRange: return "a repeated user range";
    case analysis::StepSource::kKernelSequence: return "the repeating kernel sequence";
    case analysis::StepSource::kWholeWindow: return "the whole recording as one step";
  }
  return "";
}

// Rules are independent: two threads share the list.
std::vector<Outcome> EvaluateAll(const Context& context) {
  const auto& rules = AllRules();
  std::vector<Outcome> outcomes(rules.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < rules.size(); i = next++) outcomes[i] = rules[i]->evaluate(context);
  };
  std::thread other(work);
  work();
  other.join();
  return outcomes;
}

// Without device work no rule can say anything about the device.
void AbstainAll(Verdict& verdict) {
  for (const Rule* rule : AllRules()) {
    verdict.abstained.push_back({std::string(rule->id), "no device work was recorded",
                                 "torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])"});
  }
}

void Collect(const Context& context, const AnalyzeOptions& options, Verdict& verdict) {
  if (context.gpu_rows.empty()) return AbstainAll(verdict);
  std::vector<Outcome> outcomes = EvaluateAll(context);
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const Rule& rule = *AllRules()[i];
    for (Finding& finding : outcomes[i].findings) {
      finding.id = rule.id;
      finding.layer = rule.layer;
      finding.dimension = rule.dimension;
      if (!rule.concept_text.empty()) finding.concept_text = rule.concept_text;
      candidates.push_back({&rule, std::move(finding)});
    }
    if (outcomes[i].abstention) {
      outcomes[i].abstention->id = rule.id;
      verdict.abstained.push_back(std::move(*outcomes[i].abstention));
    }
  }
  verdict.findings = RankFindings(context, std::move(candidates));
  if (!TooLittle(context) && JudgeGivenStep(context, options.true_step_ms) != GivenStep::kDoubtful) return;
  for (Finding& finding : verdict.findings) finding.confidence = Confidence::kLow;
}

void DescribeDevices(const Context& context, Verdict& verdict) {
  for (const analysis::DeviceTime& time : analysis::DeviceTimes(context.index, context.device_scope())) {
    const model::Device& device = context.trace.devices[time.device];
    DeviceSummary summary{device.name, device.id, std::nullopt, std::nullopt};
    if (context.window_ns() > 0) {
      summary.busy_pct = context.SharePct(time.busy_ns);
      summary.idle_ms_per_step = context.PerStepMs(context.window_ns() - time.busy_ns);
    }
    verdict.devices.push_back(std::move(summary));
  }
  if (!context.gpu_rows.empty() && context.window_ns() > 0) {
    verdict.device_busy_pct = context.busy_pct();
    verdict.device_idle_ms_per_step = context.PerStepMs(context.window_ns() - context.busy.length_ns());
  }
}

void DescribeSteps(const Context& context, Verdict& verdict) {
  verdict.step_count = context.steps.whole();
  verdict.warmup_excluded = context.steps.warmup_excluded;
  verdict.step_source = StepSourceText(context.steps.source);
  if (context.steps.starts_late()) verdict.before_steps_ms = static_cast<double>(context.steps.before_ns()) / 1e6;
  if (context.steps.ends_early()) verdict.after_steps_ms = static_cast<double>(context.steps.after_ns()) / 1e6;
  if (context.steps.median_ms > 0) verdict.step_median_ms = context.steps.median_ms;
  if (context.steps.p90_ms > 0) verdict.step_p90_ms = context.steps.p90_ms;
  verdict.base_step_ms = context.base_step_ms();
  verdict.knows_recorder = context.knows_recorder();
}

void PredictTogether(const Context& context, Verdict& verdict) {
  analysis::WhatIf all;
  int count = 0;
  for (const Finding& finding : verdict.findings) {
    if (!finding.caused_by.empty() || !finding.predicted || finding.change.empty()) continue;
    all.Add(finding.change);
    ++count;
  }
  if (count > 1) verdict.together = context.Predict(all, analysis::Side::kHost);
}

// What held the loop up once closes the list of the causes.
void TellApart(TypicalContext& typical, Verdict& verdict) {
  verdict.notes.push_back(Count(typical.context->steps.counted()) + " of " + Count(typical.found_steps) +
                          " steps are judged: " + typical.once->id + " held up another one once.");
  const auto symptom = std::find_if(verdict.findings.begin(), verdict.findings.end(),
                                    [](const Finding& finding) { return !finding.caused_by.empty(); });
  verdict.findings.insert(symptom, std::move(*typical.once));
}

// " (between 5.33 and 10 ms)": the step without the recorder, by the doubts of its cost; "" where they change nothing.
std::string Between(const Context& context) {
  const auto [longest_ms, shortest_ms] = context.sim->doubtful_base_steps_ms();
  if (!context.baseline.empty() || Ms(longest_ms) == Ms(shortest_ms)) return "";
  return " (between " + Ms(shortest_ms) + " and " + Ms(longest_ms) + ")";
}

void AddNotes(const Context& context, const AnalyzeOptions& options, Verdict& verdict) {
  if (!context.sim) {
    verdict.notes.push_back("No gains are predicted: " + context.sim_reason);
    return;
  }
  if (context.turns_per_step != 1) {
    verdict.notes.push_back("The given step time of " + Ms(*options.true_step_ms) + " covers about " +
                            Count(std::round(context.turns_per_step)) +
                            " turns of the repeated launches that were taken as steps.");
    return;
  }
  const double recorded_ms = context.PerStepMs(context.window_ns()), base_ms = *context.base_step_ms();
  const GivenStep given = JudgeGivenStep(context, options.true_step_ms);
  if (given == GivenStep::kUsed || given == GivenStep::kDoubtful) {
    verdict.notes.push_back("Predictions use the given step time of " + Ms(*options.true_step_ms) +
                            "; the recording shows " + Ms(recorded_ms) + ".");
  } else if (verdict.knows_recorder && recorded_ms > 1.1 * base_ms) {
    verdict.notes.push_back("The recorder slows the host: the mean step takes " + Ms(recorded_ms) +
                            " in the recording and an estimated " + Ms(base_ms) + Between(context) +
                            " without the recorder. Predictions are for the latter; give the real one with --step-ms.");
  }
  const double error = std::abs(context.sim->error().step_error_pct);
  if (error > 2) {
    verdict.notes.push_back("Replaying the recording unchanged misses its step time by " + Pct(error) +
                            "; the intervals are widened by that.");
  }
  for (const std::string& note : context.sim->notes()) verdict.notes.push_back(note);
}

// Several recordings of which nothing says that they are of one run: the verdict is about one, so it begins with that.
void TellUnrelated(const std::vector<std::string>& recordings, const std::string& judged, const AnalyzeOptions& options,
                   Verdict& verdict) {
  constexpr size_t kMostNamed = 8;
  if (!options.rank) {
    verdict.answer =
        "These are " + Count(recordings.size()) +
        " recordings, and nothing in them says that they are ranks of one run: this is about one of them, " + judged +
        ". " + verdict.answer;
  }
  std::string note = "The other recordings, each with a verdict of its own: ";
  size_t named = 0;
  for (const std::string& recording : recordings) {
    if (recording == judged) continue;
    if (named == kMostNamed) {
      note += ", and " + Count(recordings.size() - 1 - named) + " more";
      break;
    }
    note += (named++ > 0 ? ", " : "") + recording;
  }
  verdict.notes.insert(verdict.notes.begin(), note + ". One of them: warpscope PATH.");
}

// Busy: nothing to do outside the kernels. Idle without a cause that the data supports: what the idle time looks like.
std::string NoCauseAnswer(const Context& context, const Verdict& verdict) {
  const std::string busy = "busy " + Pct(context.busy_pct()) + " of the step", device = DeviceWords(context);
  if (context.busy_pct() >= kMostlyBusyPct)
    return "No cause worth acting on was found: " + (device == "The GPU" ? "the GPU" : device) + " is " + busy + ".";
  if (auto turns = DevicesInTurns(context)) return *std::move(turns);
  std::string answer =
      device + " is only " + busy + ", and this recording does not carry enough to name a change that helps";
  const auto idle =
      std::find_if(verdict.breakdown.begin(), verdict.breakdown.end(), [](const TimePart& part) { return !part.busy; });
  if (idle != verdict.breakdown.end()) answer += "; most of the rest is " + idle->label;
  return answer + ".";
}

// Which step time a prediction begins with, where it is not that of the recording: " (without the recorder)".
std::string_view WhoseStep(const Context& context, const AnalyzeOptions& options, const Verdict& verdict) {
  const GivenStep given = JudgeGivenStep(context, options.true_step_ms);
  if (given != GivenStep::kNone && given != GivenStep::kRefused) return " (as given)";
  if (!verdict.knows_recorder || !verdict.base_step_ms) return "";
  const double recorded_ms = context.PerStepMs(context.window_ns());
  const bool slowed = recorded_ms > *verdict.base_step_ms && Ms(recorded_ms) != Ms(*verdict.base_step_ms);
  return slowed ? " (without the recorder)" : "";
}

// "-84 %, between -55 and -88 %"
std::string ChangeOf(const analysis::Prediction& predicted) {
  const auto signed_pct = [](double gain) { return gain == 0 ? "0 %" : (gain < 0 ? "+" : "") + Pct(-gain); };
  const std::string point = signed_pct(predicted.gain_pct);
  const std::string small = signed_pct(predicted.low_pct), large = signed_pct(predicted.high_pct);
  if (small == large) return point;
  constexpr std::string_view kUnit = " %";
  return point + ", between " + small.substr(0, small.size() - kUnit.size()) + " and " + large;
}

// "The GPU waits for input data 91 % of the step. Loading in worker processes should bring a step from .. to .."
std::string AnswerOf(const Context& context, const AnalyzeOptions& options, const Verdict& verdict) {
  std::string little;
  if (TooLittle(context)) {
    little = "Too little was recorded for a verdict: " + WhatThereIs(context) + ". ";
    if (verdict.findings.empty()) return little + "Record a few steps of the program.";
  }
  if (verdict.findings.empty()) {
    if (context.gpu_rows.empty())
      return "No GPU work was recorded: this file cannot tell why the device is slow or idle.";
    return NoCauseAnswer(context, verdict);
  }
  const Finding& first = verdict.findings.front();
  std::string answer = little + first.title;
  if (!answer.empty() && answer.back() != '.') answer += '.';
  if (first.predicted && first.upper_bound) {
    answer += " At best, if none of that work is needed, a step comes down from " +
              Ms(first.predicted->step_ms_before) + std::string(WhoseStep(context, options, verdict)) + " to " +
              Ms(first.predicted->step_ms_after) + " (" + ChangeOf(*first.predicted) + ").";
  } else if (first.predicted) {
    answer += " Fixing it should bring a step from " + Ms(first.predicted->step_ms_before) +
              std::string(WhoseStep(context, options, verdict)) + " to about " + Ms(first.predicted->step_ms_after) +
              " (" + ChangeOf(*first.predicted) + ").";
  }
  return answer;
}

// No timeline, or one of a tool that ran the program for its counters: kernels one by one, without the program around.
bool IsMeasurementOnly(const model::Trace& trace) {
  if (!trace.has_timeline()) return true;
  // A memory snapshot has the stacks of its allocations as host rows, and no time that the program spent.
  if (trace.gpu.size() == 0 && !trace.memory.empty() &&
      std::all_of(trace.sources.begin(), trace.sources.end(),
                  [](const model::Source& source) { return source.format == "pytorch_snapshot"; }))
    return true;
  return !trace.kernel_profiles.empty() && trace.host.size() == 0 &&
         std::all_of(trace.sources.begin(), trace.sources.end(),
                     [](const model::Source& source) { return source.format == "rocprof_compute"; });
}

// A counter report has been judged for causes of the same name, and rules that join it with a timeline have none.
bool IsJudgedByCounters(std::string_view id) {
  const auto& causes = AllKernelCauses();
  return std::any_of(causes.begin(), causes.end(), [&](const KernelCause* cause) { return cause->id == id; });
}

// Counter reports, totals and readings: no rule about a step's time can speak.
std::optional<Verdict> JudgeMeasurements(const model::Trace& trace, const AnalyzeOptions& options) {
  Verdict verdict;
  if (!JudgeProfiles(trace, options.file_argument, verdict) && !JudgeSummaries(trace, options.file_argument, verdict) &&
      !JudgeReadings(trace, options.file_argument, verdict))
    return std::nullopt;
  const model::Source& source = trace.sources.front();
  verdict.source = {source.format, source.producer, source.version, source.path};
  verdict.ledger = trace.ledger.Entries();
  for (const Rule* rule : AllRules()) {
    if (!trace.kernel_profiles.empty() && IsJudgedByCounters(rule->id)) continue;
    verdict.abstained.push_back({std::string(rule->id), "the file holds no timeline",
                                 "a timeline of the same program: torch.profiler, nsys or rocprofv3"});
  }
  SpeakVendor(source.vendor, source.format, verdict);
  return verdict;
}

// A run of `warpscope record` in which the device did nothing.
Verdict EmptyRun(const model::Trace& trace) {
  Verdict verdict;
  const model::Source& source = trace.sources.front();
  verdict.source = {source.format, source.producer, source.version, source.path};
  verdict.ledger = trace.ledger.Entries();
  HostAnswer host = AnswerOfHost(trace);
  verdict.answer = "No process of this run gave a GPU any work while it was recorded: there is nothing to judge.";
  if (!host.answer.empty())
    verdict.answer = "No process of this run gave a GPU any work while it was recorded. " + host.answer;
  verdict.notes = std::move(host.notes);
  for (const model::LedgerEntry& entry : verdict.ledger) {
    const bool tells =
        entry.code == model::LedgerCode::kRecorderFailure || entry.code == model::LedgerCode::kRecorderNote;
    if (tells && !entry.detail.empty()) verdict.notes.push_back(entry.detail);
  }
  if (!host.answer.empty()) verdict.further = {"host", "ledger", "env"};
  else verdict.further = {"ledger", "env"};
  return verdict;
}

}  // namespace

const Rank& RankToJudge(const Index& index, const AnalyzeOptions& options) {
  if (options.rank) return *index.RankNumbered(*options.rank);
  if (index.ranks().size() > 1) {
    const auto straggler = FindStraggler(RankPaces(index));
    if (straggler && index.FindRank(straggler->link_domain) != nullptr) return *index.FindRank(straggler->link_domain);
  }
  return index.ranks().front();
}

Result<Verdict> Analyze(const model::Trace& trace, const AnalyzeOptions& options) {
  const bool recorded = std::any_of(trace.sources.begin(), trace.sources.end(),
                                    [](const model::Source& source) { return source.format == "capture"; });
  if (recorded && trace.gpu.size() == 0 && trace.kernel_profiles.empty()) return EmptyRun(trace);
  if (IsMeasurementOnly(trace) && !trace.sources.empty()) {
    if (auto verdict = JudgeMeasurements(trace, options)) return *std::move(verdict);
  }
  const Index index(trace);
  if (index.ranks().empty() || (trace.gpu.size() == 0 && trace.host.size() == 0)) {
    std::string reason = "the input holds no operators, no calls and no device work";
    for (const model::LedgerEntry& entry : trace.ledger.Entries()) {
      if (entry.severity != model::Severity::kInfo) reason += ". " + entry.message;
    }
    const model::Vendor vendor = trace.sources.empty() ? model::Vendor::kUnknown : trace.sources.front().vendor;
    return Status(StatusCode::kUnsupported, reason + "; " + std::string(WhatToRecord(vendor)));
  }
  if (options.rank && index.RankNumbered(*options.rank) == nullptr) {
    return Status(StatusCode::kInvalidArgument, "there is no rank " + std::to_string(*options.rank) +
                                                    " in the input; there are: " + index.RankNumbers());
  }
  const Rank& rank = RankToJudge(index, options);
  TypicalContext typical = BuildTypicalContext(index, rank, {options.true_step_ms, options.file_argument, {}});
  const auto& context = typical.context;
  Verdict verdict;
  const model::Source& source = context->source();
  verdict.source = {source.format, source.producer, source.version, source.path};
  verdict.ledger = trace.ledger.Entries();
  DescribeDevices(*context, verdict);
  DescribeSteps(*context, verdict);
  verdict.breakdown = BreakDown(*context);
  Collect(*context, options, verdict);
  PredictTogether(*context, verdict);
  if (typical.once) TellApart(typical, verdict);
  const std::vector<std::string> apart = analysis::UnrelatedRecordings(index);
  if (RankNumbersRepeat(index) && apart.empty()) {
    verdict.notes.push_back("Rank numbers repeat: the files come from several runs. Analyse each run by itself.");
  }
  if (index.ranks().size() > 1 && apart.empty()) {
    const bool numbered = std::any_of(index.ranks().begin(), index.ranks().end(), [](const Rank& r) { return r.rank; });
    verdict.notes.push_back(std::to_string(index.ranks().size()) + (numbered ? " ranks" : " processes") + " were read" +
                            (rank.gpu_rows == 0 ? ", none with device work" : "") + "; the findings are about " +
                            rank.label + ".");
  }
  if (apart.empty()) {
    auto turns = DevicesInTurns(*context);
    if (turns && !verdict.findings.empty()) verdict.notes.push_back(*std::move(turns));
    if (auto others = OtherDevices(*context)) verdict.notes.push_back(*std::move(others));
  }
  if (auto other = OtherProgramOnDevice(*context)) verdict.notes.push_back(*std::move(other));
  AddNotes(*context, options, verdict);
  verdict.answer = AnswerOf(*context, options, verdict);
  if (const std::string doubt = DoubtOfGivenStep(*context, options.true_step_ms); !doubt.empty())
    verdict.answer = doubt + " " + verdict.answer;
  if (!apart.empty()) TellUnrelated(apart, analysis::RecordingOf(index, rank), options, verdict);
  // The remedies without Python are CUDA C++'s (and HIP's): for other devices the words of their own tools stand.
  const bool cuda = source.vendor != model::Vendor::kIntel && source.vendor != model::Vendor::kHuawei;
  const bool python = source.format == "kineto" || !cuda || IsPythonProgram(trace);
  if (source.format == "capture") SpeakOfCapture(python, verdict);
  SpeakOfProgram(python, source.format, verdict);
  SpeakVendor(source.vendor, source.format, verdict);
  return verdict;
}

}  // namespace warpscope::rules
