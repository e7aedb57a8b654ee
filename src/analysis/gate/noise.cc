#include "analysis/gate/noise.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/gate/quantile.h"

namespace warpscope::analysis {
namespace {

constexpr size_t kMostValues = 200;   // pairs are n^2 / 2
constexpr double kLeastError = 1e-4;  // clocks and rounding

double SumOfSquares(const std::vector<double>& values) {
  const double mean = MeanOf(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

// Sorted means of all pairs, each value with itself too. Of too many values evenly chosen ones, in their order by size.
std::vector<double> PairMeans(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  if (values.size() > kMostValues) {
    std::vector<double> kept;
    for (size_t i = 0; i < kMostValues; ++i) kept.push_back(values[i * (values.size() - 1) / (kMostValues - 1)]);
    values = std::move(kept);
  }
  std::vector<double> means;
  means.reserve(values.size() * (values.size() + 1) / 2);
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = i; j < values.size(); ++j) means.push_back((values[i] + values[j]) / 2);
  }
  std::sort(means.begin(), means.end());
  return means;
}

double MiddleOfSorted(const std::vector<double>& sorted) {
  const size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

double Middle(const std::vector<double>& values) { return MiddleOfSorted(PairMeans(values)); }

// From the interval that Wilcoxon's signed rank statistic cuts off (normal approximation), scaled to the values there
// are where only some were paired; from the plain spread where they are few.
double ErrorOf(const std::vector<double>& values, const std::vector<double>& pair_means) {
  constexpr size_t kFew = 12;
  constexpr double kTwoSided = 1.959964;
  constexpr double kOfMean = 1.0472;  // variance of the middle over that of the mean, normal values: pi / 3
  const auto all = static_cast<double>(values.size());
  if (values.size() < 2) return 0;
  if (values.size() < kFew) return std::sqrt(kOfMean * SumOfSquares(values) / (all - 1) / all);
  const double n = std::min(all, static_cast<double>(kMostValues));
  const double cut = n * (n + 1) / 4 - kTwoSided * std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  const auto at = static_cast<size_t>(std::max(0.0, std::floor(cut)));
  const double width = pair_means[pair_means.size() - 1 - at] - pair_means[at];
  return width / (2 * kTwoSided) * std::sqrt(n / all);
}

// Standard deviation of 2 to 8 values by Qn of Rousseeuw and Croux (1993): an order statistic of the distances of all
// pairs, which bears outliers in just under half of the values. With their factors for few values.
double SpreadOfFew(const std::vector<double>& values) {
  constexpr double kOfNormal = 2.2219;
  constexpr std::array<double, 9> kFew = {0, 0, 0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669};
  std::vector<double> distances;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = 0; j < i; ++j) distances.push_back(std::abs(values[i] - values[j]));
  }
  std::sort(distances.begin(), distances.end());
  const size_t half = values.size() / 2 + 1;
  return kOfNormal * kFew[values.size()] * distances[half * (half - 1) / 2 - 1];
}

// Of consecutive blocks: sees drift and waves, to which ranks are blind. 0 with fewer than 12 values.
double BlockError(const std::vector<double>& values) {
  constexpr size_t kFewest = 12, kMostBlocks = 8, kLength = 4;
  if (values.size() < kFewest) return 0;
  const size_t blocks = std::min(kMostBlocks, values.size() / kLength);
  std::vector<double> centers;
  for (size_t i = 0; i < blocks; ++i) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i * values.size() / blocks);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>((i + 1) * values.size() / blocks);
    centers.push_back(MedianOf({begin, end}));
  }
  return SpreadOfFew(centers) / std::sqrt(static_cast<double>(blocks));
}

size_t LeadOf(const std::vector<double>& logs) {
  constexpr size_t kFewest = 8;
  constexpr double kSpreads = 5, kLeast = 0.02;
  if (logs.size() < kFewest) return 0;
  const std::vector<double> later(logs.begin() + static_cast<std::ptrdiff_t>(logs.size() / 2), logs.end());
  const double median = MedianOf(later);
  std::vector<double> distances;
  for (const double value : later) distances.push_back(std::abs(value - median));
  const double bound = median + std::max(kLeast, kSpreads * 1.4826 * MedianOf(distances));
  size_t lead = 0;
  while (lead < logs.size() / 2 && logs[lead] > bound) ++lead;
  return lead;
}

void SetAside(std::vector<double>* logs) {
  const Range near = NearRange(*logs);
  std::erase_if(*logs, [&](double value) { return value < near.low || value > near.high; });
}

std::vector<double> LogsOf(const std::vector<RunCenter>& runs) {
  std::vector<double> logs;
  for (const RunCenter& run : runs) logs.push_back(run.log);
  return logs;
}

double Pct(double log) { return 100 * std::expm1(log); }

// Variance of a group's middle by what each run's own steps leave open.
double WithinVariance(const std::vector<RunCenter>& runs) {
  double sum = 0;
  for (const RunCenter& run : runs) sum += run.error * run.error;
  return sum / static_cast<double>(runs.size() * runs.size());
}

struct Between {
  double variance = 0, freedom = 0;  // of a run's middle, its own error included where it is measured
  bool measured = false;             // the repeats differ by more than their errors and the assumption explain
  double shown = 0;                  // from run to run alone
};
// The spread of repeats counts where it is clearly larger (chi squared, 5 %) than what the steps of each run leave open
// and the assumption. Else it would only add its own uncertainty, which is large for few repeats.
Between BetweenRuns(const std::vector<RunCenter>& base, const std::vector<RunCenter>& next, const NoiseModel& model) {
  const double assumed = std::log1p(model.assumed_between_pct / 100);
  const auto repeats = static_cast<double>(base.size() + next.size() - 2);
  if (repeats < 1) return {assumed * assumed, model.assumed_repeats, false, assumed};
  double within = 0;
  for (const std::vector<RunCenter>* runs : {&base, &next}) {
    for (const RunCenter& run : *runs) within += run.error * run.error;
  }
  within /= static_cast<double>(base.size() + next.size());
  const double squares = SumOfSquares(LogsOf(base)) + SumOfSquares(LogsOf(next)), measured = squares / repeats;
  const double alone = std::sqrt(std::max(measured - within, 0.0));
  constexpr double kUsual = 0.95;
  if (squares > ChiSquaredQuantile(kUsual, repeats) * (within + assumed * assumed))
    return {measured, std::max(repeats, model.assumed_repeats), true, alone};
  return {assumed * assumed, std::max(repeats, model.assumed_repeats), false, alone};
}

// Degrees of freedom of what the steps leave open: each run knows its own error as well as its steps are many, so a
// short run counts for what it adds (Welch and Satterthwaite). What was set aside tells no spread.
double StepFreedom(const std::vector<RunCenter>& base, const std::vector<RunCenter>& next) {
  double all = 0, weighed = 0;
  for (const std::vector<RunCenter>* runs : {&base, &next}) {
    for (const RunCenter& run : *runs) {
      const double variance = run.error * run.error / static_cast<double>(runs->size() * runs->size());
      all += variance, weighed += variance * variance / std::max(run.used - 1.0 - run.aside, 1.0);
    }
  }
  return weighed > 0 ? std::max(all * all / weighed, 1.0) : 1.0;
}

}  // namespace

double RunCenter::value() const { return std::exp(log); }

std::optional<RunCenter> CenterOf(const std::vector<double>& values, Far far) {
  std::vector<double> logs;
  for (const double value : values) {
    if (value > 0 && std::isfinite(value)) logs.push_back(std::log(value));
  }
  if (logs.empty()) return std::nullopt;
  RunCenter center;
  center.lead = static_cast<uint32_t>(LeadOf(logs));
  logs.erase(logs.begin(), logs.begin() + center.lead);
  center.used = static_cast<uint32_t>(logs.size());
  if (far == Far::kSetAside) SetAside(&logs);
  center.aside = center.used - static_cast<uint32_t>(logs.size());
  const std::vector<double> pairs = PairMeans(logs);
  center.log = MiddleOfSorted(pairs);
  constexpr double kClearly = 1.5;  // a few blocks of independent steps seldom reach it
  const double error = ErrorOf(logs, pairs), blocks = BlockError(logs);
  center.error = blocks > kClearly * error ? blocks : error;
  if (logs.size() > 1) center.error = std::max(center.error, kLeastError);
  return center;
}

std::vector<double> StretchesOf(const std::vector<double>& values) {
  constexpr size_t kFewest = 10, kMost = 8, kLeast = 5, kLength = 4;
  std::vector<double> means;
  if (values.size() < kFewest) return means;
  const size_t count = std::clamp(values.size() / kLength, kLeast, kMost);
  for (size_t i = 0; i < count; ++i) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i * values.size() / count);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>((i + 1) * values.size() / count);
    means.push_back(MeanOf({begin, end}));
  }
  return means;
}

RunShift ShiftOfRuns(const std::vector<RunCenter>& base, const std::vector<RunCenter>& next, const NoiseModel& model) {
  RunShift shift;
  shift.base_runs = static_cast<uint32_t>(base.size()), shift.next_runs = static_cast<uint32_t>(next.size());
  const double from = Middle(LogsOf(base)), to = Middle(LogsOf(next));
  shift.base = std::exp(from), shift.next = std::exp(to);
  const Between between = BetweenRuns(base, next, model);
  const double within = WithinVariance(base) + WithinVariance(next);
  const double runs = 1.0 / static_cast<double>(base.size()) + 1.0 / static_cast<double>(next.size());
  const double wide_between = StudentQuantile(1 - model.alpha, between.freedom) * std::sqrt(between.variance * runs);
  const double wide_within = StudentQuantile(1 - model.alpha, StepFreedom(base, next)) * std::sqrt(within);
  // What is measured from run to run holds the errors within runs.
  const double half = between.measured ? std::max(wide_between, wide_within) : std::hypot(wide_between, wide_within);
  shift.diff_pct = Pct(to - from);
  shift.low_pct = Pct(to - from - half), shift.high_pct = Pct(to - from + half);
  shift.noise_pct = Pct(half);
  shift.between_measured = base.size() + next.size() > 2;
  shift.between_pct = Pct(between.shown);
  std::vector<double> errors;
  for (const RunCenter& run : base) errors.push_back(run.error);
  for (const RunCenter& run : next) errors.push_back(run.error);
  shift.within_pct = Pct(MedianOf(std::move(errors)));
  return shift;
}

std::optional<PeakShift> StandToPeaks(const std::vector<RunCenter>& base, const std::vector<RunCenter>& next,
                                      const NoiseModel& model, double limit_pct) {
  std::vector<double> values;
  for (const RunCenter& run : base) values.push_back(run.value());
  const auto peaks = FindTwoPeaks(values);
  if (!peaks) return std::nullopt;
  const double cut = std::log((peaks->low + peaks->high) / 2), limit = std::log1p(limit_pct / 100);
  std::vector<RunCenter> low, high;
  for (const RunCenter& run : base) (run.log < cut ? low : high).push_back(run);
  PeakShift out{*peaks, PeakStand::kUnclear, 0};
  const RunShift above = ShiftOfRuns(high, next, model), below = ShiftOfRuns(low, next, model);
  out.above_pct = above.diff_pct;
  if (above.low_pct > 0 && above.diff_pct >= limit_pct) {
    out.stand = PeakStand::kAbove;
    return out;
  }
  const auto runs = static_cast<unsigned>(next.size());
  const bool lower = std::all_of(next.begin(), next.end(),
                                 [&](const RunCenter& run) { return run.log <= std::log(peaks->low) + limit; });
  if (lower || below.high_pct <= limit_pct) {
    out.stand = PeakStand::kOnLower;
    return out;
  }
  const auto on_high = static_cast<unsigned>(
      std::count_if(next.begin(), next.end(), [&](const RunCenter& run) { return run.log >= cut; }));
  // As many on the slower peak, if the baseline's and the new runs were drawn from one bag?
  const double chance = AtLeastDrawn(on_high, runs, static_cast<unsigned>(high.size()) + on_high,
                                     static_cast<unsigned>(base.size()) + runs);
  if (chance <= model.alpha) out.stand = PeakStand::kMostlyUpper;
  constexpr double kUsual = 0.05;
  if (on_high == 0 || on_high == runs || chance <= kUsual) return out;
  // On both: each run against its own peak.
  const auto from_peak = [&](std::vector<RunCenter> centers) {
    for (RunCenter& run : centers) run.log -= std::log(run.log < cut ? peaks->low : peaks->high);
    return centers;
  };
  const RunShift moved = ShiftOfRuns(from_peak(base), from_peak(next), model);
  out.above_pct = moved.diff_pct;
  if (moved.low_pct > 0 && moved.diff_pct >= limit_pct) out.stand = PeakStand::kBothMoved;
  else if (moved.noise_pct <= limit_pct && moved.diff_pct < limit_pct) out.stand = PeakStand::kOnBoth;
  return out;
}

}  // namespace warpscope::analysis
