// Shift: by how much one set of step times differs from another, with an exact rank interval; peaks of a set.
// [MT] Pure functions; no random numbers, so the same input gives the same interval.
//
// The interval is that of Hodges and Lehmann (1963): the pairwise differences b - a between the order statistics that
// the distribution of the Mann-Whitney statistic cuts off. It asks nothing of the shape of the times. Exact counts up
// to kExactSamples a side, the normal approximation beyond. It knows the spread within the two sets only: what changes
// from one run of a program to the next is not in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpscope::analysis {

struct Shift {
  double low = 0, high = 0;   // of b - a
  double confidence_pct = 0;  // that the interval has; less than asked for where the samples are too few
};

inline constexpr size_t kExactSamples = 16;
// At most this many values a side are looked at, evenly chosen (pairs are n x m).
inline constexpr size_t kMostSamples = 400;

// Absent with fewer than 2 values on a side.
std::optional<Shift> ShiftBetween(std::vector<double> a, std::vector<double> b, double confidence_pct = 95);

double MedianOf(std::vector<double> values);       // mean of the middle two; 0 if empty
double MeanOf(const std::vector<double>& values);  // 0 if empty

// Where values lie that belong together: within 6 standard deviations of the median, as the median distance tells them
// (1.4826 of it, Hampel 1974; more of few values). What is outside is single and disturbed. Where most values are equal
// the nearest other one tells the spread, or they are the range if others are at most a fifth. Of fewer than 3 values
// all are.
struct Range {
  double low = 0, high = 0;
};
Range NearRange(const std::vector<double>& values);

// Two groups of values that stand apart: the widest space between neighbours is over 3 times the spread (median
// distance from the group's median) of both, at least 2 % of the upper, and each holds at least a fifth of the values.
struct TwoPeaks {
  double low = 0, high = 0;   // medians of the groups
  double high_share_pct = 0;  // of the values
};
// Absent with fewer than 6 values.
std::optional<TwoPeaks> FindTwoPeaks(std::vector<double> values);

// Positions of the values in the middle half by size (all of fewer than 4): their mean lies near the median and no
// outlier is in it. Ascending.
std::vector<uint32_t> MiddleHalf(const std::vector<double>& values);

}  // namespace warpscope::analysis
