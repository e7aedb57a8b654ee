#include "analysis/gate/gate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/diff/comparable.h"
#include "analysis/diff/environment.h"
#include "analysis/diff/pool.h"
#include "analysis/gate/other_program.h"

namespace warpscope::analysis {
namespace {

using Sides = std::vector<const RunSide*>;

std::vector<RecordedRun> RunsOf(const Sides& sides) {
  std::vector<RecordedRun> runs;
  for (const RunSide* side : sides) runs.push_back({side->step_ms, side->recorder});
  return runs;
}

// `ratios`: what is left of each run's times without its recorder.
std::vector<RunCenter> CentersOf(const Sides& sides, const std::vector<double>& ratios) {
  std::vector<RunCenter> centers;
  for (size_t i = 0; i < sides.size(); ++i) {
    auto center = CenterOf(sides[i]->step_ms);
    if (!center) continue;
    center->log += std::log(ratios[i]);
    centers.push_back(*center);
  }
  return centers;
}

size_t MiddleRun(const std::vector<RunCenter>& centers) {
  std::vector<size_t> order(centers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) { return centers[x].log < centers[y].log; });
  return order.empty() ? 0 : order[(order.size() - 1) / 2];
}

// Each fact with its commonest value over the runs (the first of equals); what varies within a group goes to `mixed`.
std::vector<Fact> CommonFacts(const Sides& sides, std::vector<EnvironmentChange>* mixed) {
  std::map<std::pair<std::string, std::string>, std::vector<const Fact*>> all;
  for (const RunSide* side : sides) {
    for (const Fact& fact : side->facts) all[{fact.subject, fact.name}].push_back(&fact);
  }
  std::vector<Fact> out;
  for (const auto& [key, facts] : all) {
    std::map<std::string, size_t> counts;
    for (const Fact* fact : facts) ++counts[fact->value];
    const Fact* most = facts.front();
    for (const Fact* fact : facts) {
      if (counts[fact->value] > counts[most->value]) most = fact;
    }
    out.push_back(*most);
    for (const Fact* fact : facts) {
      if (CompareFacts({*most}, {*fact}).empty()) continue;
      mixed->push_back({key.first, key.second, most->value, fact->value, fact->suspect});
      break;
    }
  }
  return out;
}

std::optional<double> MeanFact(const Sides& sides, std::string_view name) {
  double sum = 0;
  size_t count = 0;
  for (const RunSide* side : sides) {
    for (const Fact& fact : side->facts) {
      double value = 0;
      if (fact.subject != "device" || fact.name != name) continue;
      if (std::from_chars(fact.value.data(), fact.value.data() + fact.value.size(), value).ec != std::errc()) continue;
      sum += value, ++count;
    }
  }
  return count == sides.size() ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

std::optional<double> ClockChange(const Sides& base, const Sides& next) {
  for (const std::string_view name : {"clock_sm", "clock_graphics"}) {
    const auto before = MeanFact(base, name), after = MeanFact(next, name);
    if (before && after && *before > 0) return 100 * (*after / *before - 1);
  }
  return std::nullopt;
}

double BusyPct(const StepParts& parts) {
  double busy = 0, all = 0;
  for (const Work& work : parts.works) {
    for (const int64_t ns : work.step_ns) busy += static_cast<double>(ns);
  }
  for (const int64_t ns : parts.length_ns) all += static_cast<double>(ns);
  return all > 0 ? 100 * busy / all : 0;
}

template <typename F>
std::optional<double> MedianFigure(const Sides& sides, F figure) {
  std::vector<double> values;
  for (const RunSide* side : sides) {
    if (const std::optional<double> value = figure(*side)) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(MedianOf(std::move(values)));
}

void AddFigures(const Sides& base, const Sides& next, GateResult* out) {
  const auto add = [&](const char* name, auto figure) {
    out->figures.push_back({name, MedianFigure(base, figure), MedianFigure(next, figure)});
  };
  add("gpu_busy_pct", [](const RunSide& side) -> std::optional<double> {
    return side.parts.counted > 0 ? std::optional(BusyPct(side.parts)) : std::nullopt;
  });
  add("peak_memory_bytes", [](const RunSide& side) { return side.peak_memory_bytes; });
  const auto per_step = [](uint64_t StepParts::*total, bool of_host) {
    return [=](const RunSide& side) -> std::optional<double> {
      if (side.parts.totals_of == 0 || (of_host && !side.has_host)) return std::nullopt;
      return static_cast<double>(side.parts.*total) / side.parts.totals_of;
    };
  };
  add("kernels", per_step(&StepParts::kernels, false));
  add("launches", per_step(&StepParts::launches, true));
  add("copies", per_step(&StepParts::copies, false));
  add("copy_bytes", per_step(&StepParts::copy_bytes, false));
  add("synchronisations", per_step(&StepParts::syncs, true));
}

class Judgement {
 public:
  Judgement(Sides base, Sides next, const Words& words, const GateOptions& options)
      : base_(std::move(base)), next_(std::move(next)), words_(words), options_(options) {}

  GateResult Run() {
    out_.environment = CompareFacts(CommonFacts(base_, &out_.mixed), CommonFacts(next_, &out_.mixed));
    AddFigures(base_, next_, &out_);
    const RecorderRatios ratios = RatiosOf(RunsOf(base_), RunsOf(next_));
    centers_a_ = CentersOf(base_, ratios.base), centers_b_ = CentersOf(next_, ratios.next);
    for (const RunCenter& run : centers_a_) out_.base_ms.push_back(run.value());
    for (const RunCenter& run : centers_b_) out_.next_ms.push_back(run.value());
    if (!Comparable()) return std::move(out_);
    // The same judgement as the diff's: these are its runs.
    const StepJudgement& judgement = *out_.diff->judgement;
    out_.step = judgement.middle, out_.stretches = judgement.mean;
    out_.word = judgement.word;
    few_ = judgement.few;
    out_.peaks = StandToPeaks(centers_a_, centers_b_, options_.noise, options_.limit_pct);
    out_.clock_pct = ClockChange(base_, next_);
    KernelShiftOptions kernels{options_.kernel_min_effect_pct, options_.noise};
    out_.kernels = ShiftsOfKernels(base_, next_, out_.base_at, out_.next_at, words_, kernels);
    Decide();
    return std::move(out_);
  }

 private:
  void Tell(GateOutcome outcome, GateReason reason) { out_.outcome = outcome, out_.reason = reason; }

  // Every run against the first of the baseline: one that lost records or has other devices is no repeat.
  bool Comparable() {
    if (centers_a_.size() != base_.size() || centers_b_.size() != next_.size()) {
      Tell(GateOutcome::kNotComparable, GateReason::kObjections);
      out_.comparable_pct = 0;
      out_.objections.push_back({"a run holds no steps", 100});
      return false;
    }
    out_.base_at = static_cast<uint32_t>(MiddleRun(centers_a_));
    out_.next_at = static_cast<uint32_t>(MiddleRun(centers_b_));
    DiffOptions compare;
    compare.force = options_.force;
    compare.any_program = true;  // JudgeRun() asks, of every run
    compare.min_effect_pct = std::min(compare.min_effect_pct, options_.limit_pct);
    compare.noise = options_.noise;
    compare.runs_a = RunsOf(base_), compare.runs_b = RunsOf(next_);
    out_.diff = Compare(*base_[out_.base_at], *next_[out_.next_at], words_, compare);
    out_.objections = out_.diff->objections, out_.comparable_pct = out_.diff->comparable_pct;
    for (const RunSide* side : next_) JudgeRun(*base_[out_.base_at], *side);
    for (const RunSide* side : base_) JudgeRun(*side, *next_[out_.next_at]);
    if (options_.force) return out_.diff->judgement.has_value();
    if (out_.comparable_pct < kComparablePct) {
      Tell(GateOutcome::kNotComparable, GateReason::kObjections);
      return false;
    }
    for (const EnvironmentChange& change : out_.environment) {
      if (change.subject != "device" || change.name != "name") continue;
      Tell(GateOutcome::kNotComparable, GateReason::kOtherDevice);
      return false;
    }
    return out_.diff->judgement.has_value();
  }

  void JudgeRun(const RunSide& a, const RunSide& b) {
    std::vector<Objection> objections = Objections(a, b);
    if (auto other = OtherProgram(a, b, words_)) objections.insert(objections.begin(), std::move(*other));
    uint32_t weight = 0;
    for (const Objection& objection : objections) weight += objection.weight;
    const uint32_t left = weight >= 100 ? 0 : 100 - weight;
    if (left >= out_.comparable_pct) return;
    out_.comparable_pct = left;
    out_.objections = std::move(objections);
  }

  void Decide() {
    if (few_) DecideByFew();
    else if (out_.peaks) DecideByPeaks();
    else DecideByShift();
    if (out_.outcome == GateOutcome::kRegression && ClocksExplain())
      return Tell(GateOutcome::kInconclusive, GateReason::kClocks);
    if (out_.outcome != GateOutcome::kPass || !options_.fail_on_kernels) return;
    const auto& slower = out_.kernels.slower;
    const bool beyond = std::any_of(slower.begin(), slower.end(),
                                    [&](const KernelShift& shift) { return shift.diff_pct >= options_.limit_pct; });
    if (beyond) Tell(GateOutcome::kRegression, GateReason::kSlowerKernel);
  }

  // Faster by the word of few steps (each shorter than any before, by 5 % at least) hides no regression. Slower by that
  // word is one where the whole interval lies above the limit too: Student's quantile of few steps is wide.
  void DecideByFew() {
    constexpr size_t kFewest = 3;
    const auto has = [](const RunCenter& run) { return run.used >= kFewest; };
    const bool steps = std::all_of(centers_a_.begin(), centers_a_.end(), has) &&
                       std::all_of(centers_b_.begin(), centers_b_.end(), has);
    if (steps && *out_.word == ChangeWord::kFaster) return Tell(GateOutcome::kPass, GateReason::kFaster);
    if (steps && *out_.word == ChangeWord::kSlower && out_.step->low_pct >= options_.limit_pct)
      return Tell(GateOutcome::kRegression, GateReason::kSlowerStep);
    Tell(GateOutcome::kInconclusive, GateReason::kFewSteps);
  }

  bool IsRegression(const RunShift& shift) const { return shift.low_pct > 0 && shift.diff_pct >= options_.limit_pct; }

  void DecideByShift() {
    const RunShift& step = *out_.step;
    if (IsRegression(step)) return Tell(GateOutcome::kRegression, GateReason::kSlowerStep);
    if (out_.stretches && IsRegression(*out_.stretches)) return Tell(GateOutcome::kRegression, GateReason::kSlowSteps);
    if (*out_.word == ChangeWord::kFaster) return Tell(GateOutcome::kPass, GateReason::kFaster);
    const bool seen = step.noise_pct <= options_.limit_pct || step.high_pct <= options_.limit_pct;
    if (seen && step.diff_pct < options_.limit_pct) return Tell(GateOutcome::kPass, GateReason::kWithinLimit);
    Tell(GateOutcome::kInconclusive, GateReason::kNoise);
  }

  void DecideByPeaks() {
    switch (out_.peaks->stand) {
      case PeakStand::kOnLower: return Tell(GateOutcome::kPass, GateReason::kOnLowerPeak);
      case PeakStand::kOnBoth: return Tell(GateOutcome::kPass, GateReason::kOnBothPeaks);
      case PeakStand::kAbove: return Tell(GateOutcome::kRegression, GateReason::kAbovePeaks);
      case PeakStand::kBothMoved: return Tell(GateOutcome::kRegression, GateReason::kBothPeaksMoved);
      case PeakStand::kMostlyUpper: return Tell(GateOutcome::kRegression, GateReason::kMostlyUpperPeak);
      case PeakStand::kUnclear: return Tell(GateOutcome::kInconclusive, GateReason::kUnclearPeak);
    }
  }

  // Lower clocks by x % make steps at most about x % longer.
  bool ClocksExplain() const {
    constexpr double kNotable = 2;
    if (!out_.clock_pct || *out_.clock_pct > -kNotable) return false;
    const double longer_pct = 100 * (100 / (100 + *out_.clock_pct) - 1);
    return out_.step->diff_pct <= longer_pct + options_.limit_pct;
  }

  const Sides base_, next_;
  const Words& words_;
  const GateOptions& options_;
  std::vector<RunCenter> centers_a_, centers_b_;
  bool few_ = false;
  GateResult out_;
};

}  // namespace

GateResult Judge(const std::vector<const RunSide*>& base, const std::vector<const RunSide*>& next, const Words& words,
                 const GateOptions& options) {
  Sides sides = base;
  sides.insert(sides.end(), next.begin(), next.end());
  if (std::none_of(sides.begin(), sides.end(), [&](const RunSide* side) { return HasPool(*side, words); }))
    return Judgement(base, next, words, options).Run();
  std::vector<RunSide> alike;
  for (const RunSide* side : sides) alike.push_back(*side);
  std::vector<RunSide*> to_align;
  for (RunSide& side : alike) to_align.push_back(&side);
  AlignPools(to_align, MiddleRun(CentersOf(base, std::vector<double>(base.size(), 1))), words);
  const Sides pooled(to_align.begin(), to_align.end());
  const auto split = pooled.begin() + static_cast<std::ptrdiff_t>(base.size());
  return Judgement({pooled.begin(), split}, {split, pooled.end()}, words, options).Run();
}

}  // namespace warpscope::analysis
