#include "analysis/gate/quantile.h"

#include <algorithm>
#include <cmath>

namespace warpscope::analysis {
namespace {

constexpr double kTiny = 1e-300;

// Continued fraction of the incomplete beta function by Lentz' method.
double BetaFraction(double a, double b, double x) {
  constexpr int kMostTerms = 400;
  constexpr double kEnough = 1e-14;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double result = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    for (const bool even : {true, false}) {
      const double numerator = even ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                                    : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 + numerator * d;
      c = 1 + numerator / c;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      if (std::abs(c) < kTiny) c = kTiny;
      result *= c * d;
    }
    if (std::abs(c * d - 1) < kEnough) break;
  }
  return result;
}

double RegularBeta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

double StudentTail(double t, double freedom) {  // P(T > t), t >= 0
  return RegularBeta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
}

template <typename Tail>
double Bisect(double p, Tail tail) {
  constexpr double kEnd = 1e-12;
  p = std::clamp(p, kEnd, 1 - kEnd);
  if (p == 0.5) return 0;
  const double wanted = std::min(p, 1 - p);
  double low = 0, high = 1;
  while (tail(high) > wanted && high < 1e15) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (tail(middle) > wanted ? low : high) = middle;
  }
  return p < 0.5 ? -high : high;
}

double LogChoose(unsigned n, unsigned k) {
  return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
}

}  // namespace

double NormalQuantile(double p) {
  return Bisect(p, [](double z) { return std::erfc(z / std::sqrt(2.0)) / 2; });
}

double StudentQuantile(double p, double freedom) {
  return Bisect(p, [freedom](double t) { return StudentTail(t, freedom); });
}

double ChiSquaredQuantile(double p, double freedom) {
  const double spread = 2 / (9 * freedom);
  const double root = 1 - spread + NormalQuantile(p) * std::sqrt(spread);
  return freedom * root * root * root;
}

double AtLeastDrawn(unsigned hits, unsigned draws, unsigned marked, unsigned total) {
  if (hits == 0 || draws > total || marked > total) return 1;
  double chance = 0;
  for (unsigned k = hits; k <= std::min(draws, marked); ++k) {
    if (draws - k > total - marked) continue;
    chance += std::exp(LogChoose(marked, k) + LogChoose(total - marked, draws - k) - LogChoose(total, draws));
  }
  return std::min(chance, 1.0);
}

}  // namespace warpscope::analysis
