#include "analysis/diff/shift.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace warpscope::analysis {
namespace {

// Evenly chosen order statistics of too many values.
void Thin(std::vector<double>* values) {
  std::sort(values->begin(), values->end());
  if (values->size() <= kMostSamples) return;
  std::vector<double> kept;
  for (size_t i = 0; i < kMostSamples; ++i) kept.push_back((*values)[i * (values->size() - 1) / (kMostSamples - 1)]);
  *values = std::move(kept);
}

// P(U <= u) for every u under the null hypothesis, by Mann and Whitney's recurrence over the number of pairs.
std::vector<double> CumulativeU(size_t n, size_t m) {
  // counts[j][u]: ways in which j of the values of one side have u pairs out of order, for i values of the other.
  std::vector<std::vector<double>> counts(m + 1, std::vector<double>(n * m + 1, 0));
  for (size_t j = 0; j <= m; ++j) counts[j][0] = 1;
  for (size_t i = 1; i <= n; ++i) {
    for (size_t j = 1; j <= m; ++j) {
      // The largest value is either of the first side (j pairs) or of the second.
      std::vector<double>& row = counts[j];
      for (size_t u = i * j + 1; u-- > 0;) row[u] = (u >= j ? row[u - j] : 0) + counts[j - 1][u];
    }
  }
  std::vector<double>& out = counts[m];
  const double total = std::accumulate(out.begin(), out.end(), 0.0);
  double sum = 0;
  for (double& value : out) {
    sum += value;
    value = sum / total;
  }
  return out;
}

// Differences to leave out at each end, and the confidence that this leaves.
std::pair<size_t, double> CutAt(size_t n, size_t m, double confidence_pct) {
  const double tail = (1 - confidence_pct / 100) / 2;
  if (n <= kExactSamples && m <= kExactSamples) {
    const std::vector<double> below = CumulativeU(n, m);
    size_t cut = 0;
    while (cut < below.size() && below[cut] <= tail) ++cut;
    // The whole range misses with the chance that all of one side lie beyond the other.
    return {cut, 100 * (1 - 2 * (cut == 0 ? below[0] : below[cut - 1]))};
  }
  const auto pairs = static_cast<double>(n * m);
  const double sigma = std::sqrt(pairs * static_cast<double>(n + m + 1) / 12);
  // Quantile of the normal distribution: Abramowitz and Stegun 26.2.23, off by less than 4.5e-4.
  const double t = std::sqrt(-2 * std::log(std::max(tail, 1e-12)));
  const double z =
      t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
  const double cut = std::floor(pairs / 2 - z * sigma);
  return {cut > 0 ? static_cast<size_t>(cut) : 0, confidence_pct};
}

double SpreadOf(const std::vector<double>& values, double median) {
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - median));
  return MedianOf(std::move(distances));
}

// What the median distance of few normal values is too small by (Croux and Rousseeuw 1992).
double FewFactor(size_t count) {
  constexpr std::array<double, 10> kFew = {1, 1, 1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107};
  const auto n = static_cast<double>(count);
  return count < kFew.size() ? kFew[count] : n / (n - 0.8);
}

}  // namespace

double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double MeanOf(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Range NearRange(const std::vector<double>& values) {
  constexpr size_t kFewest = 3, kFew = 5;
  constexpr double kFar = 6, kOfNormal = 1.4826, kAny = std::numeric_limits<double>::infinity();
  if (values.size() < kFewest) return {-kAny, kAny};
  const double median = MedianOf(values);
  double spread = kOfNormal * FewFactor(values.size()) * SpreadOf(values, median);
  if (spread == 0) {
    std::vector<double> apart;
    for (const double value : values) {
      if (value != median) apart.push_back(std::abs(value - median));
    }
    if (apart.size() * kFew > values.size()) spread = *std::min_element(apart.begin(), apart.end());
  }
  return {median - kFar * spread, median + kFar * spread};
}

std::optional<Shift> ShiftBetween(std::vector<double> a, std::vector<double> b, double confidence_pct) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  Thin(&a), Thin(&b);
  std::vector<double> differences;
  differences.reserve(a.size() * b.size());
  for (const double before : a) {
    for (const double after : b) differences.push_back(after - before);
  }
  std::sort(differences.begin(), differences.end());
  auto [cut, confidence] = CutAt(a.size(), b.size(), confidence_pct);
  cut = std::min(cut > 0 ? cut - 1 : 0, (differences.size() - 1) / 2);
  return Shift{differences[cut], differences[differences.size() - 1 - cut], confidence};
}

std::optional<TwoPeaks> FindTwoPeaks(std::vector<double> values) {
  constexpr size_t kFewest = 6;
  constexpr double kApart = 3, kLeastRatio = 0.02;
  if (values.size() < kFewest) return std::nullopt;
  std::sort(values.begin(), values.end());
  const size_t least = std::max<size_t>(2, (values.size() + 4) / 5);
  size_t widest = 0;
  for (size_t i = least; i + least <= values.size(); ++i) {
    if (widest == 0 || values[i] - values[i - 1] > values[widest] - values[widest - 1]) widest = i;
  }
  if (widest == 0) return std::nullopt;
  const std::vector<double> low(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(widest));
  const std::vector<double> high(values.begin() + static_cast<std::ptrdiff_t>(widest), values.end());
  TwoPeaks peaks{MedianOf(low), MedianOf(high),
                 100 * static_cast<double>(high.size()) / static_cast<double>(values.size())};
  const double space = values[widest] - values[widest - 1];
  const double spread = std::max(SpreadOf(low, peaks.low), SpreadOf(high, peaks.high));
  if (space <= kApart * spread || space < kLeastRatio * peaks.high) return std::nullopt;
  return peaks;
}

std::vector<uint32_t> MiddleHalf(const std::vector<double>& values) {
  std::vector<uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  if (values.size() < 4) return order;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) { return values[x] < values[y]; });
  const size_t left_out = values.size() / 4;
  std::vector<uint32_t> middle(order.begin() + static_cast<std::ptrdiff_t>(left_out),
                               order.end() - static_cast<std::ptrdiff_t>(left_out));
  std::sort(middle.begin(), middle.end());
  return middle;
}

}  // namespace warpscope::analysis
