#include "rules/kernel/counter_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/kernel_name.h"
#include "analysis/profile_join.h"
#include "analysis/sampled_profiles.h"
#include "rules/build.h"
#include "rules/kernel/stall_evidence.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;

// A kernel of less is not worth a finding of its own.
constexpr double kMinSharePct = 3;
// Nor one of less that is at its roof, or that counters promise nothing for.
constexpr double kMinRoofSharePct = 10;
constexpr size_t kMaxFindings = 3;

struct Measured {
  const JudgedKernel* kernel = nullptr;
  const KernelCause* cause = nullptr;
  const Diagnosis* diagnosis = nullptr;
  std::vector<uint32_t> rows;  // of gpu, in the window
  int64_t total_ns = 0;
};

// Rows of the window by group of profiles.
std::vector<std::vector<uint32_t>> RowsOfGroups(const Context& c, const analysis::ProfileJoin& join) {
  std::map<analysis::ProfileJoin::Target, size_t> group_of;
  for (size_t i = 0; i < join.targets.size(); ++i) {
    for (const auto& target : join.targets[i]) group_of.emplace(target, i);
  }
  std::vector<std::vector<uint32_t>> rows(join.targets.size());
  for (const uint32_t row : c.gpu_rows) {
    if (c.trace.gpu.kind[row] != model::GpuKind::kKernel) continue;
    const auto it = group_of.find({c.trace.gpu.name[row], c.trace.gpu.detail[row]});
    if (it != group_of.end()) rows[it->second].push_back(row);
  }
  return rows;
}

// saved: the part of the possible saving that is taken.
WhatIf Faster(const Context& c, const Measured& measured, double time_ratio, double saved) {
  WhatIf change;
  const double ratio = 1 - saved * (1 - time_ratio);
  for (const uint32_t row : measured.rows)
    change.SetGpuDuration(row, static_cast<int64_t>(static_cast<double>(c.trace.gpu.dur_ns[row]) * ratio));
  return change;
}

std::optional<Finding> MakeFinding(const Context& c, const Measured& measured) {
  const model::KernelProfile& profile = c.trace.kernel_profiles[measured.kernel->group.typical];
  Finding finding;
  finding.title = KernelTitle(c.trace, *measured.kernel, *measured.diagnosis);
  finding.subject = analysis::ShortKernelName(c.trace.GpuName(measured.rows.front()));
  finding.share_pct = c.SharePct(measured.total_ns);
  finding.concept_text = ConceptOf(*measured.cause, *measured.kernel);
  finding.confidence = measured.diagnosis->confidence;
  finding.evidence.push_back(
      {fmt::format("{} of the step: {} of {} together", Pct(*finding.share_pct),
                   Plural(static_cast<double>(measured.rows.size()), "launch"), Ns(measured.total_ns)),
       c.Query("kernels --by geometry")});
  const int64_t mean_ns = measured.total_ns / static_cast<int64_t>(measured.rows.size());
  const bool sampled = analysis::IsSampled(c.trace, profile);
  if (sampled)
    finding.evidence.push_back(
        {fmt::format("{} a launch; its counters were sampled in the same run", Ns(mean_ns)), c.Query("counters")});
  else if (profile.dur_ns)
    finding.evidence.push_back(
        {fmt::format("{} a launch in the timeline, {} under the counter tool", Ns(mean_ns), Ns(*profile.dur_ns)),
         c.Query("counters")});
  // The triage guide rejects counters of a kernel that took twice as long under the tool.
  constexpr double kOtherKernel = 2;
  if (profile.dur_ns &&
      static_cast<double>(*profile.dur_ns) > kOtherKernel * static_cast<double>(std::max<int64_t>(mean_ns, 1)))
    finding.confidence = Confidence::kLow;
  // A profile without a time is one of stalls that were sampled.
  const bool of_stalls = !profile.dur_ns && !c.trace.pc_samples.empty();
  for (Evidence& evidence : KernelEvidence(c.trace, *measured.kernel, *measured.cause, *measured.diagnosis,
                                           c.Query(of_stalls ? "stalls" : "counters")))
    finding.evidence.push_back(std::move(evidence));
  if (auto evidence = StallEvidence(c, c.trace.gpu.name[measured.rows.front()]))
    finding.evidence.push_back(*std::move(evidence));
  finding.actions = measured.diagnosis->actions;
  SetKernelSpeedup(*measured.diagnosis, finding);
  finding.verify =
      of_stalls ? "Record again: the kernel's time in `warpscope kernels`, and this reason in `warpscope stalls`."
      : sampled
          ? "Record again: the kernel's time in `warpscope kernels`, and these metrics in `warpscope counters`."
          : "Record both again: the kernel's time in `warpscope kernels`, and these metrics in `warpscope counters`.";
  if (!measured.diagnosis->time_ratio || !c.sim) return finding;
  // At best the waste goes whole; half of it is the cautious version.
  finding.change = Faster(c, measured, *measured.diagnosis->time_ratio, 1.0);
  const WhatIf low = Faster(c, measured, *measured.diagnosis->time_ratio, 0.5);
  finding.predicted = c.Predict(finding.change, analysis::Side::kGpu, &low);
  if (finding.predicted && finding.predicted->gain_pct < kMinGainPct) return std::nullopt;
  return finding;
}

Outcome AbstainWith(const std::vector<std::string_view>& metrics, const MeasuredKernels& measured) {
  const bool is_amd = std::all_of(measured.kernels.begin(), measured.kernels.end(),
                                  [](const JudgedKernel& kernel) { return kernel.is_amd; });
  Lack lack = LackOf(metrics, is_amd);
  return Abstain(std::move(lack.reason), std::move(lack.record_instead));
}

}  // namespace

std::shared_ptr<const MeasuredKernels> MeasureKernels(const Context& c) {
  auto measured = std::make_shared<MeasuredKernels>();
  measured->kernels = JudgeKernels(c.trace, &measured->missing);
  std::vector<analysis::ProfileGroup> groups;
  for (const JudgedKernel& kernel : measured->kernels) groups.push_back(kernel.group);
  measured->rows = RowsOfGroups(c, analysis::JoinProfiles(c.trace, groups));
  for (size_t i = 0; i < measured->rows.size(); ++i) {
    for (const uint32_t row : measured->rows[i]) measured->kernel_of.emplace(row, i);
  }
  return measured;
}

bool CountersJudge(const Context& c, uint32_t gpu_row, std::string_view cause_id) {
  if (!c.measured) return false;
  const auto it = c.measured->kernel_of.find(gpu_row);
  return it != c.measured->kernel_of.end() && c.measured->kernels[it->second].judged.contains(cause_id);
}

Outcome EvaluateCounters(const Context& c, std::string_view cause_id) {
  if (!c.measured) return Clean();
  if (c.measured->kernel_of.empty())
    return Abstain("no profiled kernel ran in the timeline (by name and launch geometry)",
                   "measure the same program: warpscope counters -- PROGRAM; or ncu --set full -o report PROGRAM");
  std::vector<Measured> found;
  bool judged = false;
  for (size_t i = 0; i < c.measured->kernels.size(); ++i) {
    const JudgedKernel& kernel = c.measured->kernels[i];
    if (c.measured->rows[i].empty()) continue;
    judged |= kernel.judged.contains(cause_id);
    for (const auto& [cause, diagnosis] : kernel.diagnoses) {
      if (cause->id != cause_id) continue;
      Measured measured{&kernel, cause, &diagnosis, c.measured->rows[i], 0};
      for (const uint32_t row : measured.rows) measured.total_ns += c.trace.gpu.dur_ns[row];
      const double least = diagnosis.time_ratio ? kMinSharePct : kMinRoofSharePct;
      if (c.SharePct(measured.total_ns) >= least) found.push_back(std::move(measured));
    }
  }
  if (!judged) {
    const auto missing = c.measured->missing.find(cause_id);
    return missing == c.measured->missing.end() ? Clean() : AbstainWith(missing->second, *c.measured);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Measured& a, const Measured& b) { return a.total_ns > b.total_ns; });
  Outcome outcome;
  for (size_t i = 0; i < found.size() && outcome.findings.size() < kMaxFindings; ++i) {
    if (auto finding = MakeFinding(c, found[i])) outcome.findings.push_back(std::move(*finding));
  }
  return outcome;
}

Outcome WithCounters(const Context& c, std::string_view cause_id, Outcome guessed) {
  Outcome outcome = EvaluateCounters(c, cause_id);
  const bool found = !outcome.findings.empty() || !guessed.findings.empty();
  for (Finding& finding : guessed.findings) outcome.findings.push_back(std::move(finding));
  if (guessed.abstention) outcome.abstention = std::move(guessed.abstention);
  else if (found) outcome.abstention.reset();
  return outcome;
}

}  // namespace warpscope::rules
