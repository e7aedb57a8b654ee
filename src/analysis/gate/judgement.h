// Judgement: one word for what became of a step from one group of runs to another. `diff`, `gate`, `verify`, `compare`,
// `try` and `loop` take theirs from here, so one pair of recordings has one answer. [MT] Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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
  std::optional<RunShift> mean;  // where every run has steps enough
  const RunShift& shift() const { return by_mean ? *mean : middle; }
};
// Absent if a group is empty or a run holds no step above 0.
std::optional<StepJudgement> JudgeSteps(const std::vector<RunSteps>& base, const std::vector<RunSteps>& next,
                                        const JudgeOptions& options = {});

// The same noise around other times: those that a recorder's cost was taken out of.
RunShift Recentred(const RunShift& shift, double base, double next);

}  // namespace warpscope::analysis
