// What the noise of runs allows to be said, on made-up times with known truth.
#include "analysis/gate/noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/gate/quantile.h"

namespace warpscope::analysis {
namespace {

// Values around `middle` that wobble by about `pct`, the same every time.
std::vector<double> Wobbling(double middle, double pct, size_t count, unsigned seed = 1) {
  std::vector<double> values;
  unsigned state = seed * 2654435761u + 1;
  for (size_t i = 0; i < count; ++i) {
    double sum = 0;  // of twelve even numbers: nearly normal
    for (int k = 0; k < 12; ++k) {
      state = state * 1664525u + 1013904223u;
      sum += static_cast<double>(state >> 8) / (1u << 24);
    }
    values.push_back(middle * (1 + pct / 100 * (sum - 6)));
  }
  return values;
}

std::vector<RunCenter> Runs(const std::vector<double>& middles, double pct = 0.5) {
  std::vector<RunCenter> runs;
  unsigned seed = 1;
  for (const double middle : middles) runs.push_back(*CenterOf(Wobbling(middle, pct, 24, seed++)));
  return runs;
}

TEST(Quantile, AgreesWithTables) {
  EXPECT_NEAR(NormalQuantile(0.975), 1.959964, 1e-6);
  EXPECT_NEAR(NormalQuantile(0.005), -2.575829, 1e-6);
  EXPECT_NEAR(StudentQuantile(0.975, 4), 2.776445, 1e-6);
  EXPECT_NEAR(StudentQuantile(0.995, 1), 63.656741, 1e-4);
  EXPECT_NEAR(StudentQuantile(0.99, 200), 2.345137, 1e-5);
  EXPECT_NEAR(ChiSquaredQuantile(0.95, 4), 9.4877, 0.1);
  EXPECT_NEAR(AtLeastDrawn(3, 3, 5, 10), 10.0 / 120, 1e-12);
  EXPECT_EQ(AtLeastDrawn(0, 3, 5, 10), 1);
}

TEST(CenterOf, OutliersAndWarmingUpHardlyMoveIt) {
  std::vector<double> values = Wobbling(20, 1, 24);
  const RunCenter plain = *CenterOf(values);
  EXPECT_NEAR(plain.value(), 20, 0.2);
  values[7] *= 3, values[8] *= 3;
  const RunCenter with_outliers = *CenterOf(values);
  EXPECT_NEAR(with_outliers.value(), plain.value(), 0.15);
  EXPECT_LT(with_outliers.error, 2.5 * plain.error);
  std::vector<double> slow(5, 40);
  slow.insert(slow.end(), values.begin(), values.end());
  const RunCenter warming = *CenterOf(slow);
  EXPECT_EQ(warming.lead, 5u);
  EXPECT_NEAR(warming.value(), with_outliers.value(), 1e-9);
}

TEST(CenterOf, DriftWidensTheError) {
  std::vector<double> values = Wobbling(20, 0.2, 32);
  const double still = CenterOf(values)->error;
  for (size_t i = 0; i < values.size(); ++i) values[i] *= 1 + 0.04 * static_cast<double>(i) / 31;
  EXPECT_GT(CenterOf(values)->error, 5 * still);
}

TEST(CenterOf, WhatIsNoTimeIsLeftOut) {
  EXPECT_FALSE(CenterOf({}));
  EXPECT_FALSE(CenterOf({0, -1, NAN, INFINITY}));
  EXPECT_EQ(CenterOf({0, 5, NAN})->used, 1u);
}

TEST(ShiftOfRuns, SwappedSidesNegate) {
  const auto a = Runs({20, 20.1, 19.9}), b = Runs({21, 21.1});
  const RunShift there = ShiftOfRuns(a, b, {}), back = ShiftOfRuns(b, a, {});
  EXPECT_NEAR(std::log1p(there.diff_pct / 100), -std::log1p(back.diff_pct / 100), 1e-12);
  EXPECT_NEAR(std::log1p(there.low_pct / 100), -std::log1p(back.high_pct / 100), 1e-12);
  EXPECT_NEAR(there.diff_pct, 5.2, 0.6);
  EXPECT_GT(there.low_pct, 0);
}

TEST(ShiftOfRuns, RepeatsThatDifferWidenIt) {
  const RunShift steady = ShiftOfRuns(Runs({20, 20, 20}), Runs({20.6, 20.6}), {});
  const RunShift wild = ShiftOfRuns(Runs({19, 20, 21}), Runs({20.1, 21.1}), {});
  EXPECT_GT(steady.low_pct, 0);
  EXPECT_LT(wild.low_pct, 0);
  EXPECT_TRUE(wild.between_measured);
  EXPECT_NEAR(wild.between_pct, 4.3, 1);
  EXPECT_FALSE(ShiftOfRuns(Runs({20}), Runs({20.6}), {}).between_measured);
}

TEST(ShiftOfRuns, ManyRepeatsNarrowIt) {
  const std::vector<double> few = {19.8, 20.2, 20}, many = {19.8, 20.2, 20, 19.8, 20.2, 20, 19.8, 20.2, 20};
  EXPECT_LT(ShiftOfRuns(Runs(many), Runs(many), {}).noise_pct, ShiftOfRuns(Runs(few), Runs(few), {}).noise_pct);
}

// A public benchmark lay at 22.5 or 25.5 ms depending on the run, steady within each run.
TEST(StandToPeaks, ARunBetweenThemTellsNothingAndOneAboveDoes) {
  std::vector<double> middles(10, 22.5);
  middles.insert(middles.end(), 8, 25.5);
  const auto base = Runs(middles, 0.2);
  const auto stand = [&](const std::vector<double>& next) { return StandToPeaks(base, Runs(next, 0.2), {}, 2)->stand; };
  EXPECT_EQ(stand({25.1}), PeakStand::kUnclear);
  EXPECT_EQ(stand({25.5}), PeakStand::kUnclear);
  EXPECT_EQ(stand({22.4}), PeakStand::kOnLower);
  EXPECT_EQ(stand({29}), PeakStand::kAbove);
  EXPECT_EQ(stand({22.5, 25.5, 22.5}), PeakStand::kOnBoth);
  EXPECT_EQ(stand({23.4, 26.5, 23.4, 26.5, 23.4}), PeakStand::kBothMoved);
  EXPECT_EQ(stand(std::vector<double>(9, 25.5)), PeakStand::kMostlyUpper);
  EXPECT_FALSE(StandToPeaks(Runs({20, 20.1, 20.2, 20.1, 20, 20.1}), Runs({20}), {}, 2));
}

TEST(StretchesOf, SeesWhatRecurs) {
  std::vector<double> values(40, 10);
  for (size_t i = 0; i < values.size(); i += 5) values[i] = 20;
  const std::vector<double> means = StretchesOf(values);
  EXPECT_EQ(means.size(), 8u);
  for (const double mean : means) EXPECT_NEAR(mean, 12, 1e-9);
  EXPECT_TRUE(StretchesOf({1, 2, 3}).empty());
}

}  // namespace
}  // namespace warpscope::analysis
