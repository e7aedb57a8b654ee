#include "analysis/replay/parameters.h"

#include <algorithm>

namespace warpscope::analysis::replay {

int64_t QuantileOf(std::vector<int64_t>& samples, double ratio) {
  if (samples.empty()) return 0;
  const auto at = static_cast<size_t>(ratio * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(at), samples.end());
  return samples[at];
}

int64_t MedianOf(std::vector<int64_t>& samples) { return QuantileOf(samples, 0.5); }

int64_t MedianOr(std::vector<int64_t>& samples, int64_t fallback, uint32_t min_samples) {
  return samples.size() < min_samples ? fallback : MedianOf(samples);
}

}  // namespace warpscope::analysis::replay
