#include "analysis/distribution.h"

#include <algorithm>
#include <cmath>

namespace warpscope::analysis {

Distribution Distribute(std::vector<int64_t> values) {
  Distribution out;
  out.count = values.size();
  if (values.empty()) return out;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  out.min_ns = *low;
  out.max_ns = *high;
  for (const int64_t value : values) out.sum_ns += value;
  const auto n = static_cast<double>(values.size());
  out.mean_ns = static_cast<double>(out.sum_ns) / n;
  double squares = 0;
  for (const int64_t value : values)
    squares += (static_cast<double>(value) - out.mean_ns) * (static_cast<double>(value) - out.mean_ns);
  out.stddev_ns = std::sqrt(squares / n);
  const auto at = [&](size_t rank) {
    std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(rank), values.end());
    return static_cast<double>(values[rank]);
  };
  out.p95_ns = at(static_cast<size_t>(std::ceil(0.95 * n)) - 1);
  const size_t middle = values.size() / 2;
  out.median_ns = at(middle);
  if (values.size() % 2 == 0) {
    out.median_ns = (out.median_ns + static_cast<double>(*std::max_element(
                                         values.begin(), values.begin() + static_cast<int64_t>(middle)))) /
                    2;
  }
  return out;
}

}  // namespace warpscope::analysis
