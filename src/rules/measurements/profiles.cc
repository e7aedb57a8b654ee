// What a counter report alone shows: which kernels take the measured time, and why.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/kernel_name.h"
#include "rules/measurements/amd_profiles.h"
#include "rules/measurements/kernel/judge.h"
#include "rules/measurements/measurements.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

// Kernels of less of the measured time are passed over once so many findings are there.
constexpr double kNotableSharePct = 1;
constexpr size_t kManyFindings = 20;

struct Scored {
  Finding finding;
  double waste_of_all_pct = 0;  // of the measured time of all kernels
  double share_pct = 0;
};

// "Without it the kernel takes about 304 us instead of 5.17 ms (17x as fast), 40 % of the measured time of all
// kernels."
std::string GainText(const model::Trace& trace, const JudgedKernel& kernel, const Diagnosis& diagnosis) {
  if (!diagnosis.time_ratio || *diagnosis.time_ratio >= 1 || !(*diagnosis.time_ratio > 0)) return {};
  const auto dur_ns = trace.kernel_profiles[kernel.group.typical].dur_ns;
  std::string text = "Without it the kernel takes about ";
  if (dur_ns)
    text += fmt::format("{} instead of {} ({} as fast)",
                        Ns(static_cast<int64_t>(static_cast<double>(*dur_ns) * *diagnosis.time_ratio)), Ns(*dur_ns),
                        Times(1 / *diagnosis.time_ratio));
  else text += fmt::format("{} of its time", Pct(100 * *diagnosis.time_ratio));
  if (kernel.group.share_pct)
    text += fmt::format(", which is {} of the time of all measured kernels",
                        Pct(*kernel.group.share_pct * (1 - *diagnosis.time_ratio)));
  return text + ".";
}

Scored MakeFinding(const model::Trace& trace, const JudgedKernel& kernel, const KernelCause& cause,
                   const Diagnosis& diagnosis, const std::string& file) {
  Scored scored;
  scored.share_pct = kernel.group.share_pct.value_or(0);
  scored.waste_of_all_pct = scored.share_pct * diagnosis.waste_ratio;
  Finding& finding = scored.finding;
  finding.id = cause.id;
  finding.layer = Layer::kKernel;
  finding.dimension = cause.dimension;
  finding.title = KernelTitle(trace, kernel, diagnosis);
  finding.subject = trace.Text(trace.kernel_profiles[kernel.group.typical].name);
  finding.confidence = diagnosis.confidence;
  const std::string query = "warpscope counters " + file;
  std::string place = fmt::format("{} measured", Plural(static_cast<double>(kernel.group.profiles.size()), "launch"));
  if (kernel.group.share_pct)
    place += fmt::format(", {} together: {} of the time of all measured kernels", Ns(kernel.group.total_ns),
                         Pct(*kernel.group.share_pct));
  finding.evidence = KernelEvidence(trace, kernel, cause, diagnosis, query);
  finding.evidence.insert(finding.evidence.begin(), {place, query});
  if (std::string gain = GainText(trace, kernel, diagnosis); !gain.empty())
    finding.evidence.push_back({std::move(gain), query});
  finding.actions = diagnosis.actions;
  SetKernelSpeedup(diagnosis, finding);
  finding.verify = fmt::format("Measure the changed kernel again ({}) and compare its time and these metrics.",
                               kernel.is_amd ? "rocprof-compute profile" : "warpscope counters, or ncu --set full");
  finding.concept_text = ConceptOf(cause, kernel);
  return scored;
}

std::string AnswerOf(const model::Trace& trace, const std::vector<Scored>& findings,
                     const std::vector<JudgedKernel>& kernels) {
  if (!findings.empty()) {
    const Scored& first = findings.front();
    std::string answer = first.finding.title + ".";
    if (first.share_pct > 0) answer += fmt::format(" It takes {} of the measured kernel time.", Pct(first.share_pct));
    const std::string& last = first.finding.evidence.back().text;
    if (last.starts_with("Without it")) answer += " " + last;
    return answer;
  }
  const JudgedKernel& longest = kernels.front();
  std::string answer =
      fmt::format("{} measured", Plural(static_cast<double>(trace.kernel_profiles.size()), "kernel launch"));
  if (longest.group.share_pct)
    answer += fmt::format("; {} takes {} of the time",
                          analysis::ShortKernelName(trace.Text(trace.kernel_profiles[longest.group.typical].name)),
                          Pct(*longest.group.share_pct));
  return answer + ". The metrics that were collected name no cause.";
}

void AddAbstentions(const model::Trace& trace, const MissingMetrics& missing, bool is_amd, Verdict& verdict) {
  const bool is_other =
      std::none_of(trace.kernel_profiles.begin(), trace.kernel_profiles.end(), [&](const auto& profile) {
        const model::Vendor vendor = trace.sources[profile.source].vendor;
        return vendor == model::Vendor::kNvidia || vendor == model::Vendor::kUnknown || vendor == model::Vendor::kAmd;
      });
  for (const auto& [id, metrics] : missing) {
    if (is_other) {
      verdict.abstained.push_back({std::string(id),
                                   "it knows the metrics of Nsight Compute; those of this tool are shown, not judged",
                                   "see them with: warpscope counters FILE --by metric"});
      continue;
    }
    Lack lack = LackOf(metrics, is_amd);
    verdict.abstained.push_back({std::string(id), std::move(lack.reason), std::move(lack.record_instead)});
  }
}

}  // namespace

bool JudgeProfiles(const model::Trace& trace, const std::string& file, Verdict& verdict) {
  if (trace.kernel_profiles.empty()) return false;
  MissingMetrics missing;
  const std::vector<JudgedKernel> kernels = JudgeKernels(trace, &missing);
  std::vector<Scored> findings;
  uint64_t wrong = 0;
  for (const JudgedKernel& kernel : kernels) {
    wrong += kernel.measured_wrongly ? 1 : 0;
    if (kernel.group.share_pct && *kernel.group.share_pct < kNotableSharePct && findings.size() >= kManyFindings)
      continue;
    for (const auto& [cause, diagnosis] : kernel.diagnoses)
      findings.push_back(MakeFinding(trace, kernel, *cause, diagnosis, file));
  }
  // What can be gained first; then kernels at their roofs by their time.
  std::stable_sort(findings.begin(), findings.end(), [](const Scored& a, const Scored& b) {
    return std::pair(a.waste_of_all_pct, a.share_pct) > std::pair(b.waste_of_all_pct, b.share_pct);
  });
  verdict.answer = AnswerOf(trace, findings, kernels);
  for (Scored& scored : findings) verdict.findings.push_back(std::move(scored.finding));
  const bool is_amd = std::all_of(kernels.begin(), kernels.end(), [](const JudgedKernel& k) { return k.is_amd; });
  AddAbstentions(trace, missing, is_amd, verdict);
  verdict.further = {"counters"};
  verdict.notes.push_back(
      "Times are those under the counter tool, which runs kernels alone and again and again: they compare kernels with "
      "each other. How much of a step a kernel holds needs a timeline: give both, warpscope TIMELINE REPORT.");
  if (is_amd)
    for (std::string& note : AmdNotes(trace, kernels)) verdict.notes.push_back(std::move(note));
  if (wrong > 0)
    verdict.notes.push_back(
        fmt::format("{} show more than 100 % of a peak and are not judged: the passes did not run alike.",
                    Plural(static_cast<double>(wrong), "kernel")));
  return true;
}

}  // namespace warpscope::rules
