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
  turns.outcome = WordOf(turns.shift, min_effect_pct);
  return turns;
}

}  // namespace warpscope::analysis
