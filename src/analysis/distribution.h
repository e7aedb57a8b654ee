// Distribution: the usual figures of a set of durations.
// [MT] Values and pure functions.
#pragma once

#include <cstdint>
#include <vector>

namespace warpscope::analysis {

struct Distribution {  // of ns values; all 0 if count is 0
  uint64_t count = 0;
  int64_t sum_ns = 0, min_ns = 0, max_ns = 0;
  double mean_ns = 0, median_ns = 0, p95_ns = 0;
  double stddev_ns = 0;  // population
};
// Median: mean of the middle two; p95: nearest rank. Takes the values by value: it reorders them. O(n).
Distribution Distribute(std::vector<int64_t> values_ns);

}  // namespace warpscope::analysis
