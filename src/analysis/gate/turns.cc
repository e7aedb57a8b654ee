#include "analysis/gate/turns.h"

#include <algorithm>
#include <cmath>

namespace warpscope::analysis {
namespace {

std::vector<double> LogsOf(const std::vector<RunCenter>& runs) {
  std::vector<double> logs;
  for (const RunCenter& run : runs) logs.push_back(run.log);
  return logs;
}

std::optional<TwoPeaks> PeaksOf(const std::vector<RunCenter>& runs) {
  std::vector<double> values;
  for (const RunCenter& run : runs) values.push_back(run.value());
  return FindTwoPeaks(std::move(values));
}

}  // namespace

Turns JudgeTurns(const std::vector<RunCenter>& a, const std::vector<RunCenter>& b, double min_effect_pct) {
  constexpr double kConfidencePct = 95, kLeastPct = 90;
  constexpr size_t kForRanks = 4;
  Turns turns;
  NoiseModel model;
  model.alpha = (1 - kConfidencePct / 100) / 2;
  turns.shift = ShiftOfRuns(a, b, model);
  turns.confidence_pct = kConfidencePct;
  if (a.size() >= kForRanks && b.size() >= kForRanks) {
    const auto interval = ShiftBetween(LogsOf(a), LogsOf(b), kConfidencePct);
    if (interval && interval->confidence_pct >= kLeastPct) {
      RunShift& shift = turns.shift;
      turns.by_ranks = true;
      turns.confidence_pct = interval->confidence_pct;
      shift.low_pct = std::min(shift.diff_pct, 100 * std::expm1(interval->low));
      shift.high_pct = std::max(shift.diff_pct, 100 * std::expm1(interval->high));
      shift.noise_pct = (shift.high_pct - shift.low_pct) / 2;
    }
  }
  turns.peaks_a = PeaksOf(a), turns.peaks_b = PeaksOf(b);
  const RunShift& shift = turns.shift;
  const bool clear = shift.low_pct > 0 || shift.high_pct < 0;
  if (clear && std::abs(shift.diff_pct) >= min_effect_pct)
    turns.outcome = shift.diff_pct < 0 ? TurnsOutcome::kFaster : TurnsOutcome::kSlower;
  return turns;
}

}  // namespace warpscope::analysis
