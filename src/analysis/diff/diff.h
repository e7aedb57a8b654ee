// Diff: what became of a step's time from recording A to recording B, and why.
// [MT] Pure function of two finished traces; the same input gives the same result.
//
// The causes and the residual add up to the difference of the step (to the rounding of doubles). Causes are means over
// the steps that the comparison rests on (Basis), or over all steps where only these differ; the residual is what these
// means and the medians of the steps do not share. The judgement of the step is that of gate/judgement.h, which knows
// the repeats of a side where there are some.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diff/mean_change.h"
#include "analysis/diff/run_side.h"
#include "analysis/diff/shift.h"
#include "analysis/gate/judgement.h"
#include "analysis/index.h"
#include "analysis/steps.h"

namespace warpscope::analysis {

enum class Outcome : uint8_t { kFaster, kSlower, kNoDifference, kNotComparable };

// What a step's time is taken to be.
enum class Basis : uint8_t {
  kMedian,  // the middle step (CenterOf); causes from the middle half of the steps
  kMean,    // mean of stretches, where the middles agree and the means do not: some steps are slow
};

// As recorded, whatever `step` is of.
struct StepSide {
  StepSource source = StepSource::kWholeWindow;
  uint32_t counted = 0, warmup = 0;
  double median_ms = 0, mean_ms = 0, low_ms = 0, high_ms = 0;  // low, high: shortest and longest
  uint32_t slow = 0;  // steps that take kSlowStepRatio times the median or more
  std::optional<TwoPeaks> peaks;
};
inline constexpr double kSlowStepRatio = 1.5;

struct StepChange {
  Basis basis = Basis::kMedian;
  StepTimes times = StepTimes::kRecorded;  // whose times these and the causes are
  double a_ms = 0, b_ms = 0;
  double diff_ms = 0;                // b - a
  double diff_pct = 0;               // of a
  std::optional<Shift> interval_ms;  // absent where steps and repeats are too few to know a spread
  bool beyond_noise = false;
  double recorded_a_ms = 0, recorded_b_ms = 0;  // with what the recorder took
  double recorder_doubt_pct = 0;                // part of the interval: what the recorder took is an estimate
  // A recorder of unknown cost can have taken this much of a step, at most; 0 where the cost is known or small.
  double recorder_at_most_pct = 0;
};

enum class CauseKind : uint8_t {
  kPrecision,    // kernels of the same operators compute in another number format
  kAlgorithm,    // other kernels for the same operator and shapes
  kFusion,       // several kernels of a place gave way to fewer, or the reverse
  kShapes,       // same operators on other shapes
  kKernelSpeed,  // same work, other duration
  kKernelCount,  // same work, more or less often
  kDeviceSpeed,  // nearly all kernels changed alike: clocks, power limit, device
  kNewKernels,
  kVanishedKernels,
  kCopy,
  kFill,
  kCommunication,  // communication that nothing hides
  kIdle,           // the device stands idle; `idle` says why
  kOther,          // what is too small or too uncertain to be named
  kCount,
};
std::string_view CauseKindName(CauseKind kind);  // stable words: "precision", "kernel_speed"

struct Cause {
  CauseKind kind = CauseKind::kOther;
  std::string detail;   // idle: IdleKindName; precision: "fp32 to bf16"; new, vanished: category; copy: its name
  std::string subject;  // operator, kernel or place that most of it is about; "" if none stands out
  std::vector<std::string> names_a, names_b;  // kernels (or subjects of idle time) by time lost or won, 3 at most
  double a_ms = 0, b_ms = 0;                  // a step
  double diff_ms = 0;
  double count_a = 0, count_b = 0;   // device items a step; 0 for idle time
  std::optional<Shift> interval_ms;  // of diff_ms, wide enough for all causes together
  bool beyond_noise = false;
  bool named = false;  // large and certain enough to be listed on its own
};

// One row of the breakdown by kind of time, as `analyze` shows it.
struct PartChange {
  std::string name;  // "kernels", "communication", "copies", "fills", "idle_launches" ...
  double a_ms = 0, b_ms = 0;
  double diff_ms() const { return b_ms - a_ms; }
};

// A figure that is no time, a step.
struct Figure {
  std::string name;  // "launches", "kernels", "copies", "copy_bytes", "synchronisations", "allocator_calls" ...
  std::optional<double> a, b;
};

struct EnvironmentChange {
  std::string subject, name;  // "device", "driver_version"
  std::string a, b;           // "" where that side does not tell
  bool suspect = false;       // may change times by itself
};

struct RankChange {
  std::string label;
  double a_ms = 0, b_ms = 0;
};

struct Diff {
  Outcome outcome = Outcome::kNotComparable;
  uint32_t comparable_pct = 100;      // 100 less the weights of the objections; below kComparablePct it is refused
  std::vector<Objection> objections;  // most weight first
  std::vector<EnvironmentChange> environment;  // suspects first
  StepSide a, b;
  StepChange step;
  std::optional<MeanChange> means;  // as recorded; absent with fewer than 2 steps a side
  // The parts sum to the mean of all steps where the answer is of means, or where `means` are apart from the middle
  // steps; else to that of the middle half. The causes are of the mean too, and add up to causes_diff_ms without a
  // residual, if the answer is no difference of the middle steps.
  Basis parts_basis = Basis::kMedian, causes_basis = Basis::kMedian;
  double causes_diff_ms = 0;  // of the step that the causes are of; step.diff_ms where that is the answer's
  std::vector<PartChange> parts;
  std::vector<Cause> causes;  // those that go with the difference first, largest first
  double residual_ms = 0;     // of step.diff_ms
  std::vector<Figure> figures;
  std::vector<RankChange> ranks;                     // of several ranks: all that both sides have
  std::string rank;                                  // label of the rank that the causes are of
  std::optional<double> paired_a_pct, paired_b_pct;  // of kernel time that has a partner on the other side
  double noise_pct = 0;                    // smallest change of the step that could have been told from noise, % of A
  std::optional<StepJudgement> judgement;  // that `step` is from: of its times
};

inline constexpr uint32_t kComparablePct = 50;

struct DiffOptions {
  double min_effect_pct = 1;  // smaller changes of the step are none
  bool force = false;         // compare below the bar too
  bool any_program = false;   // the caller knows that these are two programs, or asks by itself (gate)
  std::optional<int64_t> rank;
  NoiseModel noise;
  // Step times of all repeats of a side, where it has several; else those of the side alone.
  std::vector<RecordedRun> runs_a, runs_b;
  std::string name_a = "A", name_b = "B";  // what objections call the sides
};

// REQUIRES: both indices are of finished traces. `rank`, where given, is one that both sides have.
Diff Compare(const Index& a, const Index& b, const DiffOptions& options = {});
// Of two sides of one rank each. REQUIRES: both were made with `words`.
Diff Compare(const RunSide& a, const RunSide& b, const Words& words, const DiffOptions& options = {});

}  // namespace warpscope::analysis
