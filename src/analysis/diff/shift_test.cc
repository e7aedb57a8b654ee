#include "analysis/diff/shift.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warpscope::analysis {
namespace {

TEST(Shift, IsTheTabledRankInterval) {
  // n = m = 5: the Mann-Whitney table gives U = 2 at 5 % two-sided, so the 3rd smallest and largest differences; exact
  // confidence 1 - 2 x 4/252.
  const auto shift = ShiftBetween({10, 11, 12, 13, 14}, {20, 22, 24, 26, 28});
  ASSERT_TRUE(shift.has_value());
  EXPECT_NEAR(shift->confidence_pct, 100 * (1 - 8.0 / 252), 1e-9);
  EXPECT_DOUBLE_EQ(shift->low, 8);    // differences in order: 6 7 8 ...
  EXPECT_DOUBLE_EQ(shift->high, 16);  // ... 16 17 18
}

TEST(Shift, FewValuesGiveLessConfidenceThanAsked) {
  const auto shift = ShiftBetween({1, 2, 3}, {4, 5, 6});
  ASSERT_TRUE(shift.has_value());
  EXPECT_NEAR(shift->confidence_pct, 90, 1e-9);  // 1 - 2/20
  EXPECT_DOUBLE_EQ(shift->low, 1);
  EXPECT_DOUBLE_EQ(shift->high, 5);
  EXPECT_FALSE(ShiftBetween({1}, {2, 3}).has_value());
}

TEST(Shift, SwappedSidesNegate) {
  const std::vector<double> a = {3, 1, 4, 1.5, 9, 2.6}, b = {2.7, 8.2, 2.9, 4.5};
  const auto forth = ShiftBetween(a, b), back = ShiftBetween(b, a);
  EXPECT_DOUBLE_EQ(forth->low, -back->high);
  EXPECT_DOUBLE_EQ(forth->high, -back->low);
}

TEST(Shift, HoldsNothingBetweenEqualSets) {
  for (const size_t n : {3u, 10u, 50u, 1000u}) {
    std::vector<double> values;
    for (size_t i = 0; i < n; ++i) values.push_back(100 + std::sin(static_cast<double>(i) * 1.7));
    const auto shift = ShiftBetween(values, values);
    EXPECT_LE(shift->low, 0);
    EXPECT_GE(shift->high, 0);
  }
}

// The exact and the approximate interval agree where both are possible.
TEST(Shift, ApproximationMeetsTheExactCount) {
  std::vector<double> a, b;
  for (int i = 0; i < 17; ++i) a.push_back(i), b.push_back(i + 0.5);
  const auto approximate = ShiftBetween(a, b);
  a.pop_back(), b.pop_back();
  const auto exact = ShiftBetween(a, b);
  EXPECT_NEAR(approximate->low, exact->low, 1);
  EXPECT_NEAR(approximate->high, exact->high, 1);
}

TEST(TwoPeaks, AreNamedWhereTheyStandApart) {
  const auto peaks = FindTwoPeaks({22.5, 25.5, 22.52, 22.48, 25.49, 25.52, 22.5, 22.51});
  ASSERT_TRUE(peaks.has_value());
  EXPECT_NEAR(peaks->low, 22.5, 0.02);
  EXPECT_NEAR(peaks->high, 25.5, 0.02);
  EXPECT_NEAR(peaks->high_share_pct, 37.5, 0.1);
  EXPECT_FALSE(FindTwoPeaks({10, 10.1, 10.2, 10.3, 10.4, 10.5, 10.6}).has_value());
  EXPECT_FALSE(FindTwoPeaks({10, 10, 10, 10, 10, 10, 10, 30}).has_value());  // one outlier is no peak
}

TEST(MiddleHalf, LeavesOutliersOut) {
  EXPECT_EQ(MiddleHalf({5, 100, 4, 6, 1, 5.5, 7, 4.5}), (std::vector<uint32_t>{0, 3, 5, 7}));
  EXPECT_EQ(MiddleHalf({3, 1, 2}), (std::vector<uint32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace warpscope::analysis
