#include "analysis/diff/diff.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/device_time.h"
#include "analysis/diff/causes.h"
#include "analysis/diff/comparable.h"
#include "analysis/diff/environment.h"
#include "analysis/diff/pool.h"
#include "analysis/gate/other_program.h"

namespace warpscope::analysis {
namespace {

std::vector<uint32_t> AllOf(size_t count) {
  std::vector<uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

StepSide StepSideOf(const RunSide& of) {
  StepSide side;
  side.source = of.source;
  side.counted = of.counted();
  side.warmup = of.warmup;
  side.median_ms = MedianOf(of.step_ms);
  side.mean_ms = MeanOf(of.step_ms);
  if (!of.step_ms.empty()) {
    side.low_ms = *std::min_element(of.step_ms.begin(), of.step_ms.end());
    side.high_ms = *std::max_element(of.step_ms.begin(), of.step_ms.end());
  }
  side.slow = static_cast<uint32_t>(std::count_if(of.step_ms.begin(), of.step_ms.end(),
                                                  [&](double ms) { return ms >= kSlowStepRatio * side.median_ms; }));
  side.peaks = FindTwoPeaks(of.step_ms);
  return side;
}

// Of two ranks that their sides tell.
class Comparison {
 public:
  Comparison(const RunSide& a, const RunSide& b, const Words& words, const DiffOptions& options)
      : a_(a), b_(b), words_(words), options_(options) {}

  Diff Run() {
    out_.a = StepSideOf(a_), out_.b = StepSideOf(b_);
    out_.environment = CompareFacts(a_.facts, b_.facts);
    Judge();
    if (a_.parts.counted == 0 || b_.parts.counted == 0) return std::move(out_);
    Figures(a_.parts, b_.parts);
    if (out_.comparable_pct < kComparablePct && !options_.force) return std::move(out_);
    CompareSteps();
    StepParts a = a_.parts, b = b_.parts;
    TakeOutRecorder(left_a_, &a), TakeOutRecorder(left_b_, &b);
    Causes(a, b);
    return std::move(out_);
  }

 private:
  void Judge() {
    out_.objections = Objections(a_, b_, options_.name_a, options_.name_b);
    if (!options_.any_program) {
      if (auto other = OtherProgram(a_, b_, words_, options_.name_a, options_.name_b))
        out_.objections.insert(out_.objections.begin(), std::move(*other));
    }
    uint32_t weight = 0;
    for (const Objection& objection : out_.objections) weight += objection.weight;
    out_.comparable_pct = weight >= 100 ? 0 : 100 - weight;
  }

  static std::vector<RecordedRun> RunsOf(const std::vector<RecordedRun>& repeats, const RunSide& side) {
    return repeats.empty() ? std::vector<RecordedRun>{{side.step_ms, side.recorder}} : repeats;
  }

  void CompareSteps() {
    const std::vector<RecordedRun> runs_a = RunsOf(options_.runs_a, a_), runs_b = RunsOf(options_.runs_b, b_);
    const auto judged = JudgeRecorded(runs_a, runs_b, {options_.min_effect_pct, options_.noise});
    if (!judged) return;
    out_.judgement = judged->steps;
    const StepJudgement& judgement = *out_.judgement;
    if (judged->times == StepTimes::kWithoutRecorder) {
      left_a_ = a_.recorder ? a_.recorder->left_ratio : 1, left_b_ = b_.recorder ? b_.recorder->left_ratio : 1;
    }
    TellTimes(*judged);
    const RunShift& shift = judgement.shift();
    StepChange& step = out_.step;
    step.basis = judgement.by_mean ? Basis::kMean : Basis::kMedian;
    step.a_ms = shift.base, step.b_ms = shift.next;
    step.diff_ms = shift.next - shift.base, step.diff_pct = shift.diff_pct;
    step.beyond_noise = judgement.word != ChangeWord::kNoDifference;
    out_.outcome = OutcomeOf(judgement.word);
    const RunShift& middle = judged->recorded.middle;
    out_.means = MeanChangeOf(a_.step_ms, b_.step_ms, {middle.diff_pct, middle.low_pct, middle.high_pct},
                              options_.min_effect_pct);
    out_.noise_pct = options_.min_effect_pct;
    if (judgement.few && judged->times == StepTimes::kRecorded) return;
    const double one_sided = judgement.by_mean ? options_.noise.alpha * kMeanAlphaShare : options_.noise.alpha;
    step.interval_ms =
        Shift{shift.base * shift.low_pct / 100, shift.base * shift.high_pct / 100, 100 * (1 - 2 * one_sided)};
    out_.noise_pct = std::max(out_.noise_pct, shift.noise_pct);
  }

  void TellTimes(const RecordedJudgement& judged) {
    StepChange& step = out_.step;
    step.times = judged.times;
    const RunShift& as_recorded =
        judged.steps.by_mean && judged.recorded.mean ? *judged.recorded.mean : judged.recorded.middle;
    step.recorded_a_ms = as_recorded.base, step.recorded_b_ms = as_recorded.next;
    step.recorder_doubt_pct = judged.doubt_pct, step.recorder_at_most_pct = judged.unknown_at_most_pct;
  }

  static Outcome OutcomeOf(ChangeWord word) {
    switch (word) {
      case ChangeWord::kFaster: return Outcome::kFaster;
      case ChangeWord::kSlower: return Outcome::kSlower;
      case ChangeWord::kNoDifference: return Outcome::kNoDifference;
    }
    return Outcome::kNoDifference;
  }

  CauseList CausesOf(Basis basis, const StepParts& a, const StepParts& b, double diff_ms) const {
    const bool all = basis == Basis::kMean;
    return FindCauses({&a, &b, all ? AllOf(a.counted) : MiddleHalf(a.step_ms),
                       all ? AllOf(b.counted) : MiddleHalf(b.step_ms), &words_, diff_ms, a_.has_host, b_.has_host,
                       !all});
  }

  static double MeanLengthMs(const StepParts& parts) {
    double sum_ns = 0;
    for (const int64_t ns : parts.length_ns) sum_ns += static_cast<double>(ns);
    return sum_ns / 1e6 / parts.counted;
  }

  void Causes(const StepParts& a, const StepParts& b) {
    const bool by_mean = out_.step.basis == Basis::kMean, apart = out_.means && out_.means->apart;
    if (by_mean || apart) out_.parts_basis = Basis::kMean;
    // No cause of a difference that is none, where the steps do differ.
    const bool of_all = !by_mean && apart && out_.outcome == Outcome::kNoDifference;
    out_.causes_basis = by_mean || of_all ? Basis::kMean : Basis::kMedian;
    out_.causes_diff_ms = of_all ? MeanLengthMs(b) - MeanLengthMs(a) : out_.step.diff_ms;
    CauseList list = CausesOf(out_.causes_basis, a, b, out_.causes_diff_ms);
    out_.causes = std::move(list.causes);
    out_.paired_a_pct = list.paired_a_pct, out_.paired_b_pct = list.paired_b_pct;
    out_.parts = out_.parts_basis == out_.causes_basis ? std::move(list.parts)
                                                       : CausesOf(out_.parts_basis, a, b, out_.causes_diff_ms).parts;
    double explained_ms = 0;
    for (const Cause& cause : out_.causes) explained_ms += cause.diff_ms;
    out_.residual_ms = out_.step.diff_ms - explained_ms;
  }

  void Figures(const StepParts& a, const StepParts& b) {
    const auto add = [&](const char* name, uint64_t x, uint64_t y, bool of_host) {
      const auto per_step = [&](uint64_t value, const StepParts& side, bool host) -> std::optional<double> {
        if (of_host && !host) return std::nullopt;
        return static_cast<double>(value) / side.totals_of;
      };
      out_.figures.push_back({name, per_step(x, a, a_.has_host), per_step(y, b, b_.has_host)});
    };
    add("launches", a.launches, b.launches, true);
    add("graph_launches", a.graph_launches, b.graph_launches, true);
    add("kernels", a.kernels, b.kernels, false);
    add("copies", a.copies, b.copies, false);
    add("copy_bytes", a.copy_bytes, b.copy_bytes, false);
    add("synchronisations", a.syncs, b.syncs, true);
    add("allocator_calls", a.allocator_calls, b.allocator_calls, true);
    const auto mean = [](const StepParts& side) -> std::optional<double> {
      if (side.kernel_launches == 0) return std::nullopt;
      return static_cast<double>(side.launch_call_ns) / static_cast<double>(side.kernel_launches);
    };
    out_.figures.push_back({"launch_call_ns", mean(a), mean(b)});
    out_.figures.push_back({"peak_memory_bytes", a_.peak_memory_bytes, b_.peak_memory_bytes});
  }

  const RunSide& a_;
  const RunSide& b_;
  const Words& words_;
  const DiffOptions& options_;
  double left_a_ = 1, left_b_ = 1;  // of the steps, once the recorder's cost is taken out
  Diff out_;
};

std::vector<const Rank*> RanksWithWork(const Index& index) {
  std::vector<const Rank*> ranks;
  for (const Rank& rank : index.ranks()) {
    if (rank.gpu_rows > 0) ranks.push_back(&rank);
  }
  return ranks;
}

// A step without the time in which the device only communicates: a rank that the others wait for is the one that takes
// longer itself, by its kernels or by its host; the others take longer in their collectives.
double OwnMs(const Index& index, const Steps& steps, const Rank& rank) {
  const Scope scope = DeviceScopeOf(steps, rank.link_domain);
  const IntervalSet alone =
      GpuIntervals(index, scope, GpuClass::kCommunication).Subtract(GpuIntervals(index, scope, GpuClass::kCompute));
  return steps.median_ms - static_cast<double>(alone.length_ns()) / 1e6 / std::max<uint32_t>(steps.counted(), 1);
}

struct ChosenRank {
  uint32_t domain_a = 0, domain_b = 0;
  std::string label;
  std::vector<RankChange> ranks;
};

// The rank whose own time changed most: the others wait for it. One rank alone needs no search.
ChosenRank ChooseRank(const Index& a, const Index& b, const DiffOptions& options) {
  ChosenRank chosen{a.default_domain(), b.default_domain(), "", {}};
  if (options.rank) {
    chosen.domain_a = a.RankNumbered(*options.rank)->link_domain;
    chosen.domain_b = b.RankNumbered(*options.rank)->link_domain;
    chosen.label = "rank " + std::to_string(*options.rank);
    return chosen;
  }
  const std::vector<const Rank*> ranks_a = RanksWithWork(a), ranks_b = RanksWithWork(b);
  if (ranks_a.size() != ranks_b.size() || ranks_a.size() < 2) return chosen;
  double most_ms = -1;
  for (size_t i = 0; i < ranks_a.size(); ++i) {
    const Steps steps_a = FindSteps(a, ranks_a[i]->link_domain), steps_b = FindSteps(b, ranks_b[i]->link_domain);
    chosen.ranks.push_back({ranks_a[i]->label, steps_a.median_ms, steps_b.median_ms});
    const double change_ms = std::abs(OwnMs(b, steps_b, *ranks_b[i]) - OwnMs(a, steps_a, *ranks_a[i]));
    if (change_ms <= most_ms) continue;
    most_ms = change_ms;
    chosen.domain_a = ranks_a[i]->link_domain, chosen.domain_b = ranks_b[i]->link_domain;
    chosen.label = ranks_a[i]->label;
  }
  return chosen;
}

}  // namespace

Diff Compare(const RunSide& a, const RunSide& b, const Words& words, const DiffOptions& options) {
  if (!HasPool(a, words) && !HasPool(b, words)) return Comparison(a, b, words, options).Run();
  RunSide alike_a = a, alike_b = b;
  AlignPools(&alike_a, &alike_b, words);
  return Comparison(alike_a, alike_b, words, options).Run();
}

Diff Compare(const Index& a, const Index& b, const DiffOptions& options) {
  ChosenRank chosen = ChooseRank(a, b, options);
  Words words;
  const RunSide side_a = RunSideOf(a, chosen.domain_a, &words), side_b = RunSideOf(b, chosen.domain_b, &words);
  Diff diff = Compare(side_a, side_b, words, options);
  diff.rank = std::move(chosen.label);
  diff.ranks = std::move(chosen.ranks);
  return diff;
}

}  // namespace warpscope::analysis
