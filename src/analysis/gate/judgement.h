// Judgement: one word for what became of a step from one group of runs to another. `diff`, `gate`, `verify`, `compare`,
// `try` and `loop` take theirs from here, so one pair of recordings has one answer. [MT] Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/diff/recorder_cost.h"
#include "analysis/gate/noise.h"

namespace warpscope::analysis {

enum class ChangeWord : uint8_t { kFaster, kSlower, kNoDifference };

// Faster or slower: the whole interval lies on one side of 0, and the change is at least `min_effect_pct`.
ChangeWord WordOf(const RunShift& shift, double min_effect_pct);

// Of the error of the middle step's interval, that of the means': a second chance to err.
inline constexpr double kMeanAlphaShare = 0.1;

struct JudgeOptions {
  double min_effect_pct = 1;  // smaller changes of the step are none
  NoiseModel noise;
};

// What an unknown spread must be beaten by: `few` below.
inline constexpr double kFewStepsPct = 5;

// Step times of one run, in order.
using RunSteps = std::vector<double>;

struct StepJudgement {
  ChangeWord word = ChangeWord::kNoDifference;
  bool by_mean = false;  // the middle step shows nothing, the means of stretches do: some steps changed
  bool few = false;      // too few steps and repeats to know a spread: a large change is told, and proves nothing
  RunShift middle;
  // Where every run has steps enough: arithmetic means, with the noise of the test around their ratio.
  std::optional<RunShift> mean;
  const RunShift& shift() const { return by_mean ? *mean : middle; }
};
// Absent if a group is empty or a run holds no step above 0.
std::optional<StepJudgement> JudgeSteps(const std::vector<RunSteps>& base, const std::vector<RunSteps>& next,
                                        const JudgeOptions& options = {});

// The same noise around other times: those that were measured without a recorder.
RunShift Recentred(const RunShift& shift, double base, double next);

// One run's steps as recorded, and what the recorder took of them.
struct RecordedRun {
  RunSteps step_ms;
  std::optional<RecorderCost> recorder;  // absent: measured without one, or not known
};

// Whose times a judgement of recorded runs is of.
enum class StepTimes : uint8_t {
  kRecorded,         // the recorder took too little to matter, or what it took is not known
  kWithoutRecorder,  // an estimate: its doubt is part of the interval
};

struct RecordedJudgement {
  StepTimes times = StepTimes::kRecorded;
  StepJudgement steps;             // of these times
  StepJudgement recorded;          // of the times as they are
  double doubt_pct = 0;            // of the change, by what the recorder took; 0 as recorded
  double unknown_at_most_pct = 0;  // of a step: what a recorder of unknown cost can have taken; 0 where all are known
};
// The ratio that a run's recorded times are multiplied by, for each run; all 1 where no recorder took
// kLeastRecorderPct of the middle run of a side.
struct RecorderRatios {
  std::vector<double> base, next;
  bool all_one() const;
};
RecorderRatios RatiosOf(const std::vector<RecordedRun>& base, const std::vector<RecordedRun>& next);

// The judgement of the steps without the recorder. The doubt about its cost: on both sides the same way (half and one
// and a half times as much), and for each side by itself as far as the two costs differ: what two recordings share
// misses both alike. Absent as JudgeSteps().
std::optional<RecordedJudgement> JudgeRecorded(const std::vector<RecordedRun>& base,
                                               const std::vector<RecordedRun>& next, const JudgeOptions& options = {});

}  // namespace warpscope::analysis
