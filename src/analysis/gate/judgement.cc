#include "analysis/gate/judgement.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpscope::analysis {
namespace {

using Centers = std::vector<RunCenter>;

constexpr size_t kFewSteps = 4, kFewRuns = 3;

// Empty if a run holds no step.
Centers CentersOf(const std::vector<RunSteps>& runs) {
  Centers centers;
  for (const RunSteps& run : runs) {
    const auto center = CenterOf(run);
    if (!center) return {};
    centers.push_back(*center);
  }
  return centers;
}

// Of the means of stretches, after what CenterOf() leaves out as warming up; empty unless every run has enough steps.
Centers StretchCentersOf(const std::vector<RunSteps>& runs, const Centers& centers) {
  Centers out;
  for (size_t i = 0; i < runs.size(); ++i) {
    const RunSteps kept(runs[i].begin() + centers[i].lead, runs[i].end());
    const auto center = CenterOf(StretchesOf(kept), Far::kKept);
    if (!center) return {};
    out.push_back(*center);
  }
  return out;
}

// A spread has to come from somewhere: from the steps of the runs or from repeats on both sides.
bool IsFew(const Centers& base, const Centers& next) {
  const auto few = [](const Centers& runs) {
    return std::any_of(runs.begin(), runs.end(), [](const RunCenter& run) { return run.used < kFewSteps; });
  };
  return (few(base) || few(next)) && (base.size() < kFewRuns || next.size() < kFewRuns);
}

// No interval of few steps is worth its name: that no step of one side is as long as any of the other says more.
ChangeWord WordOfFew(const std::vector<RunSteps>& base, const std::vector<RunSteps>& next, const RunShift& shift,
                     double least_pct) {
  const auto ends = [](const std::vector<RunSteps>& runs) {
    std::pair<double, double> out{runs[0][0], runs[0][0]};
    for (const RunSteps& run : runs) {
      const auto [low, high] = std::minmax_element(run.begin(), run.end());
      out.first = std::min(out.first, *low), out.second = std::max(out.second, *high);
    }
    return out;
  };
  const auto from = ends(base), to = ends(next);
  if (std::abs(shift.diff_pct) < least_pct) return ChangeWord::kNoDifference;
  if (to.first > from.second) return ChangeWord::kSlower;
  return to.second < from.first ? ChangeWord::kFaster : ChangeWord::kNoDifference;
}

// The means are looked at only where the middle shows nothing: a second chance to err, so a smaller one. Means of few
// steps have heavy tails: Student's quantile is too kind to them.
NoiseModel SecondTest(NoiseModel noise) {
  noise.alpha *= kMeanAlphaShare;
  return noise;
}

}  // namespace

ChangeWord WordOf(const RunShift& shift, double min_effect_pct) {
  const bool clear = shift.low_pct > 0 || shift.high_pct < 0;
  if (!clear || std::abs(shift.diff_pct) < min_effect_pct) return ChangeWord::kNoDifference;
  return shift.diff_pct < 0 ? ChangeWord::kFaster : ChangeWord::kSlower;
}

std::optional<StepJudgement> JudgeSteps(const std::vector<RunSteps>& base, const std::vector<RunSteps>& next,
                                        const JudgeOptions& options) {
  const Centers from = CentersOf(base), to = CentersOf(next);
  if (from.empty() || to.empty()) return std::nullopt;
  StepJudgement out;
  out.few = IsFew(from, to);
  out.middle = ShiftOfRuns(from, to, options.noise);
  out.word = out.few ? WordOfFew(base, next, out.middle, std::max(options.min_effect_pct, kFewStepsPct))
                     : WordOf(out.middle, options.min_effect_pct);
  const Centers means_from = StretchCentersOf(base, from), means_to = StretchCentersOf(next, to);
  if (means_from.empty() || means_to.empty()) return out;
  out.mean = ShiftOfRuns(means_from, means_to, SecondTest(options.noise));
  if (out.word != ChangeWord::kNoDifference) return out;
  out.word = WordOf(*out.mean, options.min_effect_pct);
  out.by_mean = out.word != ChangeWord::kNoDifference;
  return out;
}

RunShift Recentred(const RunShift& shift, double base, double next) {
  RunShift out = shift;
  out.base = base, out.next = next;
  const double ratio = next / base, wide = 1 + shift.noise_pct / 100;
  out.diff_pct = 100 * (ratio - 1);
  out.low_pct = 100 * (ratio / wide - 1), out.high_pct = 100 * (ratio * wide - 1);
  return out;
}

}  // namespace warpscope::analysis
