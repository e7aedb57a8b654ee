// Bounded least squares by normal equations, and what its solution is worth. See counter_attribution.h.
// [MT] Values; an object belongs to one thread.
#pragma once

#include <cstddef>
#include <vector>

namespace warpscope::analysis {

// A symmetric matrix, stored whole; row * size + column.
struct Matrix {
  size_t size = 0;
  std::vector<double> cells;

  explicit Matrix(size_t n = 0) : size(n), cells(n * n, 0) {}
  double& at(size_t row, size_t column) { return cells[row * size + column]; }
  double at(size_t row, size_t column) const { return cells[row * size + column]; }
};

// min x'Ax - 2b'x over 0 <= x <= most, by cyclic coordinate descent (Hildreth; Luenberger and Ye, Linear and Nonlinear
// Programming, 14.6), which converges for positive semidefinite A. Columns with A_ii = 0 stay 0.
std::vector<double> SolveBounded(const Matrix& a, const std::vector<double>& b, double most);

// Inverse of A by Cholesky. A column that depends on others gets a huge variance rather than none, by a ridge of 1e-9
// of the largest diagonal element; columns with A_ii = 0 get 0.
Matrix Inverse(const Matrix& a);

}  // namespace warpscope::analysis
