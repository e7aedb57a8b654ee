#include "analysis/diff/mean_change.h"

#include <gtest/gtest.h>

#include <random>

namespace warpscope::analysis {
namespace {

std::vector<double> Around(uint32_t seed, size_t count, double mean, double spread) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(mean, spread);
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) values.push_back(normal(random));
  return values;
}

TEST(MeanChange, OfTwoLengthsIsApartFromAMiddleThatIsTheSame) {
  const std::vector<double> even = Around(1, 40, 1, 0.003);
  std::vector<double> two = Around(2, 40, 1, 0.003);
  for (size_t i = 0; i < 19; ++i) two[i * 7 % 40] += 0.3;
  const auto change = MeanChangeOf(even, two, {0, -0.7, 0.7}, 1);
  ASSERT_TRUE(change);
  EXPECT_NEAR(change->diff_pct, 14.25, 0.5);
  EXPECT_LT(change->low_pct, 14.25);
  EXPECT_GT(change->high_pct, 14.25);
  EXPECT_TRUE(change->apart);
  const auto back = MeanChangeOf(two, even, {0, -0.7, 0.7}, 1);
  EXPECT_TRUE(back->apart);
  EXPECT_LT(back->high_pct, 0);
}

TEST(MeanChange, OneLongStepIsOutsideAndMayBeChance) {
  const std::vector<double> even = Around(3, 40, 1, 0.003);
  std::vector<double> one = even;
  one[17] = 100;
  const auto change = MeanChangeOf(even, one, {0, -0.7, 0.7}, 1);
  ASSERT_TRUE(change);
  EXPECT_TRUE(change->outside);
  EXPECT_FALSE(change->apart);
}

TEST(MeanChange, ThatTheMiddleSharesIsNeither) {
  const auto change = MeanChangeOf(Around(4, 40, 1, 0.01), Around(5, 40, 1.1, 0.01), {10, 9.5, 10.5}, 1);
  ASSERT_TRUE(change);
  EXPECT_FALSE(change->outside);
  EXPECT_FALSE(change->apart);
  EXPECT_FALSE(MeanChangeOf({1}, {1, 2}, {}, 1));
}

// Runs of one program: the two stories differ in about as few of 400 pairs as the interval promises.
TEST(MeanChange, OfTheSameProgramIsSeldomApart) {
  int apart = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const auto change = MeanChangeOf(Around(2 * seed, 24, 1, 0.05), Around(2 * seed + 1, 24, 1, 0.05), {0, -1, 1}, 1);
    apart += change->apart ? 1 : 0;
  }
  EXPECT_LE(apart, 20);
}

}  // namespace
}  // namespace warpscope::analysis
