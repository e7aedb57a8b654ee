#include "analysis/attribution_solve.h"

#include <algorithm>
#include <cmath>

namespace warpscope::analysis {
namespace {

constexpr double kRidge = 1e-9;
constexpr double kTolerance = 1e-4;  // of a value between 0 and 100
constexpr int kMostSweeps = 1000;

// Lower triangle L with LL' = A + ridge, in place of A's lower triangle.
void Factor(Matrix& a, double ridge) {
  const size_t n = a.size;
  for (size_t j = 0; j < n; ++j) {
    double diagonal = a.at(j, j) + ridge;
    for (size_t k = 0; k < j; ++k) diagonal -= a.at(j, k) * a.at(j, k);
    const double root = std::sqrt(std::max(diagonal, ridge));
    a.at(j, j) = root;
    for (size_t i = j + 1; i < n; ++i) {
      double sum = a.at(i, j);
      for (size_t k = 0; k < j; ++k) sum -= a.at(i, k) * a.at(j, k);
      a.at(i, j) = sum / root;
    }
  }
}

// Inverse of the lower triangle.
Matrix InverseOfLower(const Matrix& lower) {
  const size_t n = lower.size;
  Matrix inverse(n);
  for (size_t j = 0; j < n; ++j) {
    inverse.at(j, j) = 1 / lower.at(j, j);
    for (size_t i = j + 1; i < n; ++i) {
      double sum = 0;
      for (size_t k = j; k < i; ++k) sum -= lower.at(i, k) * inverse.at(k, j);
      inverse.at(i, j) = sum / lower.at(i, i);
    }
  }
  return inverse;
}

}  // namespace

std::vector<double> SolveBounded(const Matrix& a, const std::vector<double>& b, double most) {
  const size_t n = a.size;
  std::vector<double> x(n, 0), slope(n);  // slope: b - Ax
  for (size_t i = 0; i < n; ++i) {
    if (a.at(i, i) > 0) x[i] = std::clamp(b[i] / a.at(i, i), 0.0, most);
  }
  for (size_t i = 0; i < n; ++i) {
    slope[i] = b[i];
    for (size_t j = 0; j < n; ++j) slope[i] -= a.at(i, j) * x[j];
  }
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double largest = 0;
    for (size_t i = 0; i < n; ++i) {
      if (!(a.at(i, i) > 0)) continue;
      const double wanted = std::clamp(x[i] + slope[i] / a.at(i, i), 0.0, most);
      const double step = wanted - x[i];
      if (step == 0) continue;
      x[i] = wanted;
      largest = std::max(largest, std::abs(step));
      for (size_t j = 0; j < n; ++j) slope[j] -= a.at(j, i) * step;
    }
    if (largest < kTolerance) break;
  }
  return x;
}

Matrix Inverse(const Matrix& a) {
  const size_t n = a.size;
  double largest = 0;
  for (size_t i = 0; i < n; ++i) largest = std::max(largest, a.at(i, i));
  Matrix factor = a;
  for (size_t i = 0; i < n; ++i) {
    if (!(a.at(i, i) > 0)) factor.at(i, i) = largest;  // alone in its row: no other is touched
  }
  if (largest == 0) return Matrix(n);
  Factor(factor, largest * kRidge);
  const Matrix lower = InverseOfLower(factor);
  Matrix inverse(n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (size_t k = i; k < n; ++k) sum += lower.at(k, i) * lower.at(k, j);
      inverse.at(i, j) = inverse.at(j, i) = sum;
    }
  }
  for (size_t i = 0; i < n; ++i) {
    if (!(a.at(i, i) > 0)) inverse.at(i, i) = 0;
  }
  return inverse;
}

}  // namespace warpscope::analysis
