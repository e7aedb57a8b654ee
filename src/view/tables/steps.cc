// Steps with their composition and what outliers have more of.
#include "analysis/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/step_profile.h"
#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

std::string_view SourceText(analysis::StepSource source) {
  switch (source) {
    case analysis::StepSource::kProfilerStep: return "the profiler's step marks";
    case analysis::StepSource::kUserRange: return "a repeated range of the program";
    case analysis::StepSource::kKernelSequence: return "the repeating sequence of kernels";
    case analysis::StepSource::kWholeWindow: return "nothing: it repeats nowhere, so the whole window counts as one";
  }
  return "";
}

std::string ExcessText(const analysis::StepExcess& excess) {
  if (excess.is_count)
    return fmt::format("{} {} instead of {}", excess.what, FormatNumber(excess.value), FormatNumber(excess.usual));
  return fmt::format("{} {} instead of {}", excess.what, FormatMs(excess.value), FormatMs(excess.usual));
}

std::string Remark(const analysis::Step& step, const analysis::OutlierStep* outlier) {
  if (step.warmup) return "warm-up";
  if (step.unmarked) return "no step: its mark is missing";
  if (step.cut) return "no step: the recording had a break";
  if (!outlier && !step.outlier) return "";
  if (!outlier || outlier->excess.empty()) return "outlier";
  return "outlier: " + ExcessText(outlier->excess[0]);
}

Cell LargestIdleCause(const analysis::StepProfile& profile) {
  const auto largest = std::max_element(profile.idle_by_cause_ns.begin(), profile.idle_by_cause_ns.end());
  // Causes are known of long gaps alone; where those are not most of it, nothing is claimed.
  int64_t known_ns = 0;
  for (const int64_t ns : profile.idle_by_cause_ns) known_ns += ns;
  if (2 * known_ns < profile.idle_ns) return {};
  if (*largest <= 0) return {};
  return Text(analysis::GapCauseName(static_cast<analysis::GapCause>(largest - profile.idle_by_cause_ns.begin())));
}

}  // namespace

Table StepTable(const Subject& subject) {
  const analysis::Steps& steps = subject.steps;
  Table table;
  table.name = "steps";
  table.title = "Steps";
  table.columns = {{"step", "step", Kind::kId},
                   {"label", "mark", Kind::kName, 4},
                   {"start_ns", "at", Kind::kTimeNs, 6},
                   {"dur_ns", "time", Kind::kDurationNs},
                   {"busy_ns", "device busy", Kind::kDurationNs},
                   {"idle_ns", "idle", Kind::kDurationNs},
                   {"idle_cause", "idle mostly", Kind::kText, 3},
                   {"kernels", "kernels", Kind::kCount, 2},
                   {"launches", "launches", Kind::kCount, 5},
                   {"copies", "copies", Kind::kCount, 8},
                   {"copy_ns", "copying", Kind::kDurationNs, 9},
                   {"communication_ns", "communication", Kind::kDurationNs, 9},
                   {"syncs", "waits", Kind::kCount, 8},
                   {"sync_ns", "host waits", Kind::kDurationNs, 7},
                   {"allocations", "driver allocations", Kind::kCount, kDataOnly},
                   {"allocation_ns", "driver allocation", Kind::kDurationNs, kDataOnly},
                   {"device_begin_ns", "device from", Kind::kTimeNs, kDataOnly},
                   {"device_end_ns", "device to", Kind::kTimeNs, kDataOnly},
                   {"remark", "remark", Kind::kName}};
  if (!subject.trace().has_timeline()) return table;  // the whole of nothing is no step
  analysis::Scope scope;
  scope.link_domain = subject.device_scope.link_domain;
  if (!scope.link_domain && !subject.index.ranks().empty()) scope.link_domain = subject.index.default_domain();
  const analysis::GapSummary gaps = analysis::FindGaps(subject.index, scope, &steps);
  const auto profiles = analysis::ProfileSteps(subject.index, steps, &gaps);
  const auto outliers = analysis::ExplainOutliers(subject.index, steps, profiles);
  std::map<uint32_t, const analysis::OutlierStep*> outlier_of;
  for (const auto& outlier : outliers) outlier_of[outlier.step] = &outlier;
  // Without calls nothing is known of what the host asked for.
  const bool has_calls = std::any_of(profiles.begin(), profiles.end(), [](const analysis::StepProfile& profile) {
    return profile.launches + profile.syncs + profile.allocations > 0;
  });
  const auto of_calls = [&](auto value) { return has_calls ? Int(value) : Cell(); };
  for (const auto& profile : profiles) {
    const analysis::Step& step = steps.steps[profile.step];
    const auto found = outlier_of.find(profile.step);
    table.rows.push_back({Int(profile.step), Text(step.label), TimeCell(subject, step.begin_ns), Int(profile.dur_ns),
                          Int(profile.busy_ns), Int(profile.idle_ns), LargestIdleCause(profile), Int(profile.kernels),
                          of_calls(profile.launches), Int(profile.copies), Int(profile.copy_ns),
                          Int(profile.communication_ns), of_calls(profile.syncs), of_calls(profile.sync_ns),
                          of_calls(profile.allocations), of_calls(profile.allocation_ns),
                          TimeCell(subject, profile.device_begin_ns), TimeCell(subject, profile.device_end_ns),
                          Text(Remark(step, found == outlier_of.end() ? nullptr : found->second))});
  }
  table.summary.push_back(fmt::format("{} counted, found by {}; {} warm-up left out.", Plural(steps.whole(), "step"),
                                      SourceText(steps.source), FormatCount(steps.warmup_excluded)));
  if (steps.whole() < steps.counted()) {
    table.summary.push_back(
        fmt::format("{} more without a mark or with a break of the recording inside: no time counts them.",
                    FormatCount(steps.counted() - steps.whole())));
  }
  if (steps.counted() > 1) {
    const double mean_ms =
        static_cast<double>(steps.device_end_ns - steps.device_begin_ns) / 1e6 / std::max(steps.equivalents(), 1.0);
    table.summary.push_back(fmt::format("Step {} (median of {} steps), 90 % within {}, mean step {}.",
                                        FormatMs(steps.median_ms), steps.whole(), FormatMs(steps.p90_ms),
                                        FormatMs(mean_ms)));
  }
  if (const auto period = analysis::SlowStepPeriod(steps)) {
    table.summary.push_back(fmt::format(
        "A slow step returns every {} steps: as many data loader workers, or another regular task?", *period));
  }
  table.notes = {
      "time: from the previous step's last device work to its own; the host's own window where no device work was "
      "recorded."};
  return table;
}

}  // namespace warpscope::view
