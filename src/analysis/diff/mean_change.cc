#include "analysis/diff/mean_change.h"

#include <algorithm>
#include <cmath>

#include "analysis/diff/shift.h"
#include "analysis/gate/noise.h"
#include "analysis/gate/quantile.h"

namespace warpscope::analysis {
namespace {

constexpr double kTail = 0.025;
constexpr double kClearly = 1.5;  // as for the middle (noise.cc)
constexpr double kLeastError = 1e-4;

struct MeanError {
  double mean = 0, relative = 0, freedom = 1;  // relative: standard error over the mean
};

MeanError PlainError(const std::vector<double>& values) {
  MeanError out;
  out.mean = MeanOf(values);
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  const auto count = static_cast<double>(values.size());
  out.freedom = count - 1;
  out.relative = out.mean > 0 ? std::max(kLeastError, std::sqrt(squares / (count - 1) / count) / out.mean) : 0;
  return out;
}

MeanError ErrorOfMean(const std::vector<double>& values) {
  MeanError steps = PlainError(values);
  const std::vector<double> stretches = StretchesOf(values);
  if (stretches.size() < 2) return steps;
  const MeanError waves = PlainError(stretches);
  if (waves.relative > kClearly * steps.relative) steps.relative = waves.relative, steps.freedom = waves.freedom;
  return steps;
}

double Pct(double log) { return 100 * std::expm1(log); }
double Log(double pct) { return std::log1p(std::max(pct, -99.999) / 100); }

}  // namespace

std::optional<MeanChange> MeanChangeOf(const std::vector<double>& a, const std::vector<double>& b,
                                       const MiddleChange& middle, double min_effect_pct) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const MeanError from = ErrorOfMean(a), to = ErrorOfMean(b);
  if (!(from.mean > 0) || !(to.mean > 0)) return std::nullopt;
  const double v = from.relative * from.relative, w = to.relative * to.relative;
  const double freedom = (v + w) * (v + w) / (v * v / from.freedom + w * w / to.freedom);
  const double half = StudentQuantile(1 - kTail, std::max(freedom, 1.0)) * std::sqrt(v + w);
  const double change = std::log(to.mean / from.mean);
  MeanChange out{from.mean, to.mean, Pct(change), Pct(change - half), Pct(change + half), false, false};
  const bool beyond = out.diff_pct < middle.low_pct || out.diff_pct > middle.high_pct;
  out.outside = beyond && std::abs(change - Log(middle.diff_pct)) >= Log(min_effect_pct);
  out.apart = out.outside && (out.low_pct > middle.high_pct || out.high_pct < middle.low_pct);
  return out;
}

}  // namespace warpscope::analysis
