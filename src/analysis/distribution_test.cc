#include "analysis/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace warpscope::analysis {
namespace {

TEST(Distribution, KnownValues) {
  const Distribution d = Distribute({4, 1, 3, 2});
  EXPECT_EQ(d.count, 4U);
  EXPECT_EQ(d.sum_ns, 10);
  EXPECT_EQ(d.min_ns, 1);
  EXPECT_EQ(d.max_ns, 4);
  EXPECT_DOUBLE_EQ(d.median_ns, 2.5);
  EXPECT_DOUBLE_EQ(d.p95_ns, 4);
  EXPECT_NEAR(d.stddev_ns, 1.1180, 1e-4);
  EXPECT_EQ(Distribute({}).count, 0U);
}

TEST(Distribution, AgreesWithSorting) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<int64_t> values(1 + random() % 60);
    for (int64_t& value : values) value = static_cast<int64_t>(random() % 1000) - 300;
    const Distribution d = Distribute(values);
    std::sort(values.begin(), values.end());
    const size_t n = values.size();
    EXPECT_DOUBLE_EQ(d.median_ns, (static_cast<double>(values[(n - 1) / 2]) + static_cast<double>(values[n / 2])) / 2);
    EXPECT_DOUBLE_EQ(d.p95_ns, static_cast<double>(values[(95 * n + 99) / 100 - 1]));
  }
}

}  // namespace
}  // namespace warpscope::analysis
