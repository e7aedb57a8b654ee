#include "rules/measurements/kernel/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/kernel_name.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

// Beyond it a share of a peak is a measuring error (triage guide); a little more is rounding of replayed passes.
constexpr double kImpossiblePct = 105;
// A waste below is no reason to keep a kernel from being called what it is: at its roof.
constexpr double kSomeWaste = 0.05;
constexpr size_t kQuoteBytes = 240;

// Shares of warps' time alone, as samples of stalls give them: no use of any unit.
bool IsOfStallsAlone(const KernelCase& kernel) {
  return !kernel.counters.is_amd && !kernel.counters.stalls.empty() && UnitsByUse(kernel).empty() &&
         kernel.counters.pipes.empty();
}

// The causes that look at stalls first: only those are judged, or said to lack something, where there is nothing else.
bool LooksAtStalls(std::string_view cause) {
  constexpr std::string_view kOfStalls[] = {"barrier_stall", "instruction_cache", "latency_bound", "low_ilp"};
  return std::find(std::begin(kOfStalls), std::end(kOfStalls), cause) != std::end(kOfStalls);
}

void RunCauses(const KernelCase& kernel, JudgedKernel& judged, std::set<std::string_view>& judged_causes,
               MissingMetrics* missing) {
  const bool stalls_alone = IsOfStallsAlone(kernel);
  for (const KernelCause* cause : AllKernelCauses()) {
    if (stalls_alone && !LooksAtStalls(cause->id)) continue;
    KernelOutcome outcome = cause->judge(kernel);
    if (!outcome.missing.empty()) {
      // Of AMD's counters those that are there are not named.
      if (kernel.counters.is_amd) {
        const auto is_there = [&](std::string_view name) { return analysis::HasRocm(kernel.counters, name); };
        const size_t there =
            static_cast<size_t>(std::count_if(outcome.missing.begin(), outcome.missing.end(), is_there));
        if (there < outcome.missing.size()) std::erase_if(outcome.missing, is_there);
      }
      (*missing)[cause->id] = std::move(outcome.missing);
      continue;
    }
    judged_causes.insert(cause->id);
    judged.judged.insert(cause->id);
    if (outcome.diagnosis) judged.diagnoses.emplace_back(cause, std::move(*outcome.diagnosis));
  }
}

// What is left when waste was found is not called by a remainder's name.
void KeepWhatExplains(JudgedKernel& judged) {
  const bool is_explained = std::any_of(judged.diagnoses.begin(), judged.diagnoses.end(), [](const auto& item) {
    return !item.first->is_remainder && item.second.waste_ratio >= kSomeWaste;
  });
  if (is_explained) std::erase_if(judged.diagnoses, [](const auto& item) { return item.first->is_remainder; });
  std::stable_sort(judged.diagnoses.begin(), judged.diagnoses.end(),
                   [](const auto& a, const auto& b) { return a.second.waste_ratio > b.second.waste_ratio; });
}

bool IsOneOf(std::string_view word, std::string_view list) {
  while (!list.empty()) {
    const size_t bar = list.find('|');
    if (list.substr(0, bar) == word) return true;
    list = bar == std::string_view::npos ? std::string_view() : list.substr(bar + 1);
  }
  return false;
}

// The tool's words on the same matter, cut to a few lines at a word's end.
std::string Quote(const model::Trace& trace, const model::KernelProfile& profile, std::string_view rules) {
  const model::Advice* best = nullptr;
  for (uint32_t row = profile.advice_begin; row < profile.advice_end; ++row) {
    const model::Advice& advice = trace.advice[row];
    if (advice.kind == model::AdviceKind::kOk || !IsOneOf(trace.Text(advice.rule), rules)) continue;
    if (best == nullptr || advice.speedup_pct.value_or(0) > best->speedup_pct.value_or(0)) best = &advice;
  }
  if (best == nullptr) return {};
  std::string_view text = trace.Text(best->text);
  std::string words(text);
  if (text.size() > kQuoteBytes) {
    const size_t space = text.rfind(' ', kQuoteBytes);
    words = std::string(text.substr(0, space == std::string_view::npos || space == 0 ? kQuoteBytes : space)) + " ...";
  }
  std::string quote = fmt::format("Nsight Compute ({}) says: \"{}\"", trace.Text(best->rule), words);
  if (best->speedup_pct)
    quote += fmt::format(" It estimates a speedup of {} {}.", Pct(*best->speedup_pct),
                         best->speedup_is_global ? "for the kernel" : "for the part that it looks at");
  return quote;
}

}  // namespace

std::vector<JudgedKernel> JudgeKernels(const model::Trace& trace, MissingMetrics* missing) {
  const analysis::CounterReader reader(trace);
  std::vector<JudgedKernel> kernels;
  std::set<std::string_view> judged_causes;
  for (analysis::ProfileGroup& group : analysis::GroupProfiles(trace, analysis::GroupBy::kNameAndGeometry)) {
    JudgedKernel judged;
    const model::KernelProfile& profile = trace.kernel_profiles[group.typical];
    const analysis::KernelCounters counters = reader.Read(profile);
    const KernelCase kernel{counters, profile.config == model::kNone ? nullptr : &trace.launch_configs[profile.config]};
    judged.group = std::move(group);
    const std::vector<UnitUse> units = UnitsByUse(kernel);
    judged.is_amd = counters.is_amd;
    judged.measured_wrongly = !units.empty() && units.front().pct > kImpossiblePct;
    if (!judged.measured_wrongly) RunCauses(kernel, judged, judged_causes, missing);
    KeepWhatExplains(judged);
    kernels.push_back(std::move(judged));
  }
  for (const std::string_view id : judged_causes) missing->erase(id);
  return kernels;
}

void SetKernelSpeedup(const Diagnosis& diagnosis, Finding& finding) {
  constexpr double kTimesOff = 1.7;
  if (!diagnosis.time_ratio || !(*diagnosis.time_ratio > 0)) return;
  const double speedup = 1 / *diagnosis.time_ratio;
  finding.kernel_speedup = speedup;
  finding.kernel_speedup_low = std::min(speedup, std::max(1.0, speedup / kTimesOff));
  finding.kernel_speedup_high = speedup * kTimesOff;
}

std::string KernelTitle(const model::Trace& trace, const JudgedKernel& kernel, const Diagnosis& diagnosis) {
  const std::string_view name = trace.Text(trace.kernel_profiles[kernel.group.typical].name);
  return analysis::ShortKernelName(name) + ": " + diagnosis.title;
}

std::string_view ConceptOf(const KernelCause& cause, const JudgedKernel& kernel) {
  return kernel.is_amd && !cause.amd_concept_text.empty() ? cause.amd_concept_text : cause.concept_text;
}

Lack LackOf(const std::vector<std::string_view>& metrics, bool is_amd) {
  std::string names;
  for (const std::string_view metric : metrics) {
    const std::string_view name = is_amd ? analysis::RocmNameOfMissing(metric) : metric;
    if (!name.empty()) names += (names.empty() ? "" : ", ") + std::string(name);
  }
  if (names.empty()) return {"no counter of AMD's tools tells it (NVIDIA's: " + std::string(metrics.front()) + ")", ""};
  return {"the counters lack " + names, is_amd ? "rocprof-compute profile -n counters -- <program>"
                                               : "warpscope counters -- PROGRAM; or ncu --set full -o report PROGRAM"};
}

std::vector<Evidence> KernelEvidence(const model::Trace& trace, const JudgedKernel& kernel, const KernelCause& cause,
                                     const Diagnosis& diagnosis, const std::string& query) {
  std::vector<Evidence> evidence;
  for (const std::string& text : diagnosis.evidence) evidence.push_back({text, query});
  const std::string quote = Quote(trace, trace.kernel_profiles[kernel.group.typical], cause.tool_rules);
  if (!quote.empty()) evidence.push_back({quote, query});
  return evidence;
}

}  // namespace warpscope::rules
