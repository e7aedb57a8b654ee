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

// What is told of the means: the arithmetic one of each run's steps after those that warm up, and of several runs the
// middle one. That of the stretches' logarithms, which is tested since a few long steps do not rule it, lies below it.
double MeanStepOf(const std::vector<RunSteps>& runs, const Centers& centers) {
  std::vector<double> means;
  for (size_t i = 0; i < runs.size(); ++i) means.push_back(MeanOf({runs[i].begin() + centers[i].lead, runs[i].end()}));
  return MedianOf(std::move(means));
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

double Pct(double log) { return 100 * std::expm1(log); }

double LeftOf(const RecordedRun& run) { return run.recorder ? run.recorder->left_ratio : 1; }

// What the recorders of a group can have taken where that is not known, and is not little; else 0.
double UnknownPct(const std::vector<RecordedRun>& runs) {
  double most = 0;
  for (const RecordedRun& run : runs) {
    const bool unknown = run.recorder && !run.recorder->known && run.recorder->at_most_pct >= kLeastRecorderPct;
    if (unknown) most = std::max(most, run.recorder->at_most_pct);
  }
  return most;
}

constexpr double kLeastLeft = 1e-3;

// Of the run in the middle, by each of its figures.
struct GroupCost {
  double left = 1, less = 1, more = 1, cost_ms = 0, idle = 0, launch_call_ns = 0;
};
GroupCost GroupCostOf(const std::vector<RecordedRun>& runs) {
  std::vector<double> left, less, more, cost, idle, call;
  for (const RecordedRun& run : runs) {
    const RecorderCost of = run.recorder.value_or(RecorderCost());
    left.push_back(of.left_ratio), less.push_back(of.less_ratio);
    more.push_back(run.recorder && !of.known ? std::max(kLeastLeft, 1 - of.at_most_pct / 100) : of.more_ratio);
    cost.push_back(of.cost_ms), idle.push_back(of.at_most_pct / 100), call.push_back(of.launch_call_ns);
  }
  return {MedianOf(left), MedianOf(less), MedianOf(more), MedianOf(cost), MedianOf(idle), MedianOf(call)};
}

std::vector<RunSteps> Scaled(const std::vector<RecordedRun>& runs, const std::vector<double>& ratios) {
  std::vector<RunSteps> out;
  for (size_t i = 0; i < runs.size(); ++i) {
    out.push_back(runs[i].step_ms);
    for (double& ms : out.back()) ms *= ratios[i];
  }
  return out;
}

// How far the change may lie from the estimate, in its logarithm; both >= 0.
struct RecorderDoubt {
  double down = 0, up = 0;
};

// The logarithm by which `slow` would be shorter on a host as quick as `quick`'s: the same call took longer, so its
// idle time, which the host makes, did too. 0 where the calls do not say so.
double SlowerHost(const GroupCost& slow, const GroupCost& quick) {
  if (!(quick.launch_call_ns > 0) || slow.launch_call_ns <= quick.launch_call_ns) return 0;
  const double idle = std::clamp((slow.idle - (1 - slow.left)) / slow.left, 0.0, 1.0);
  return -std::log1p(-idle * (1 - quick.launch_call_ns / slow.launch_call_ns));
}

RecorderDoubt DoubtOf(const GroupCost& base, const GroupCost& next) {
  const double from_up = std::log(base.less / base.left), from_down = std::log(base.left / base.more);
  const double to_up = std::log(next.less / next.left), to_down = std::log(next.left / next.more);
  // One recorder costs both sides half as much, or one and a half times as much.
  const double less = to_up - from_up, more = from_down - to_down;
  const double most = std::max(base.cost_ms, next.cost_ms);
  const double apart = most > 0 ? std::abs(base.cost_ms - next.cost_ms) / most : 0;
  // What a slower host adds is added, not squared: the recorder's own calls were slower with it.
  return {std::hypot(std::max({0.0, -less, -more}), apart * std::hypot(to_down, from_up)) + SlowerHost(next, base),
          std::hypot(std::max({0.0, less, more}), apart * std::hypot(to_up, from_down)) + SlowerHost(base, next)};
}

void Widen(const RecorderDoubt& doubt, RunShift* shift) {
  const double middle = std::log1p(shift->diff_pct / 100);
  const double down = std::hypot(middle - std::log1p(shift->low_pct / 100), doubt.down);
  const double up = std::hypot(std::log1p(shift->high_pct / 100) - middle, doubt.up);
  shift->low_pct = Pct(middle - down), shift->high_pct = Pct(middle + up);
  shift->noise_pct = Pct(std::max(down, up));
}

// The word of what was estimated: what the doubt can explain is no change.
void Reword(const RecorderDoubt& doubt, double min_effect_pct, StepJudgement* judgement) {
  if (!judgement->few) {
    judgement->word = WordOf(judgement->middle, min_effect_pct);
    judgement->by_mean = judgement->by_mean && judgement->word == ChangeWord::kNoDifference;
    if (judgement->by_mean) judgement->word = WordOf(*judgement->mean, min_effect_pct);
    judgement->by_mean = judgement->by_mean && judgement->word != ChangeWord::kNoDifference;
    return;
  }
  const double change = std::log1p(judgement->middle.diff_pct / 100);
  const bool explained = change < 0 ? -change <= doubt.up : change <= doubt.down;
  if (explained) judgement->word = ChangeWord::kNoDifference, judgement->by_mean = false;
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
  const RunShift tested = ShiftOfRuns(means_from, means_to, SecondTest(options.noise));
  out.mean = Recentred(tested, MeanStepOf(base, from), MeanStepOf(next, to));
  if (out.word != ChangeWord::kNoDifference) return out;
  const ChangeWord word = WordOf(tested, options.min_effect_pct);
  if (word != WordOf(*out.mean, options.min_effect_pct)) return out;  // what is told must show what was tested
  out.word = word;
  out.by_mean = word != ChangeWord::kNoDifference;
  return out;
}

bool RecorderRatios::all_one() const {
  const auto one = [](double ratio) { return ratio == 1; };
  return std::all_of(base.begin(), base.end(), one) && std::all_of(next.begin(), next.end(), one);
}

RecorderRatios RatiosOf(const std::vector<RecordedRun>& base, const std::vector<RecordedRun>& next) {
  RecorderRatios ratios{std::vector<double>(base.size(), 1), std::vector<double>(next.size(), 1)};
  const GroupCost from = GroupCostOf(base), to = GroupCostOf(next);
  // Where one side's cost is not known and can be as large as the other's, taking out the other's alone misleads.
  if (UnknownPct(base) >= 100 * (1 - to.left) && UnknownPct(base) > 0) return ratios;
  if (UnknownPct(next) >= 100 * (1 - from.left) && UnknownPct(next) > 0) return ratios;
  if (100 * (1 - std::min(from.left, to.left)) < kLeastRecorderPct) return ratios;
  for (size_t i = 0; i < base.size(); ++i) ratios.base[i] = LeftOf(base[i]);
  for (size_t i = 0; i < next.size(); ++i) ratios.next[i] = LeftOf(next[i]);
  return ratios;
}

std::optional<RecordedJudgement> JudgeRecorded(const std::vector<RecordedRun>& base,
                                               const std::vector<RecordedRun>& next, const JudgeOptions& options) {
  const RecorderRatios ratios = RatiosOf(base, next);
  const auto recorded = JudgeSteps(Scaled(base, std::vector<double>(base.size(), 1)),
                                   Scaled(next, std::vector<double>(next.size(), 1)), options);
  if (!recorded) return std::nullopt;
  RecordedJudgement out;
  out.steps = out.recorded = *recorded;
  out.unknown_at_most_pct = std::max(UnknownPct(base), UnknownPct(next));
  if (ratios.all_one()) return out;
  out.times = StepTimes::kWithoutRecorder;
  out.steps = *JudgeSteps(Scaled(base, ratios.base), Scaled(next, ratios.next), options);
  const RecorderDoubt doubt = DoubtOf(GroupCostOf(base), GroupCostOf(next));
  out.doubt_pct = Pct(std::max(doubt.down, doubt.up));
  Widen(doubt, &out.steps.middle);
  if (out.steps.mean) Widen(doubt, &*out.steps.mean);
  Reword(doubt, options.min_effect_pct, &out.steps);
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
