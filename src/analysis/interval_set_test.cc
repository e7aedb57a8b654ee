#include "analysis/interval_set.h"

#include <gtest/gtest.h>

#include <bitset>
#include <random>

namespace warpscope::analysis {
namespace {

constexpr int kSpan = 96;
using Bits = std::bitset<kSpan>;

std::vector<Interval> RandomIntervals(std::mt19937& random, int max_count) {
  std::vector<Interval> out;
  const int count = static_cast<int>(random() % (max_count + 1));
  for (int i = 0; i < count; ++i) {
    const int64_t begin = random() % kSpan;
    out.push_back({begin, std::min<int64_t>(kSpan, begin + static_cast<int64_t>(random() % 12))});
  }
  return out;
}

Bits ToBits(const std::vector<Interval>& intervals) {
  Bits bits;
  for (const Interval& interval : intervals) {
    for (int64_t t = interval.begin_ns; t < interval.end_ns; ++t) bits.set(t);
  }
  return bits;
}

void ExpectSame(const IntervalSet& set, const Bits& bits) {
  EXPECT_EQ(ToBits(set.intervals()), bits);
  EXPECT_EQ(set.length_ns(), static_cast<int64_t>(bits.count()));
  for (size_t i = 0; i < set.size(); ++i) {
    EXPECT_LT(set.intervals()[i].begin_ns, set.intervals()[i].end_ns);
    if (i > 0) {
      EXPECT_LT(set.intervals()[i - 1].end_ns, set.intervals()[i].begin_ns);
    }
  }
}

TEST(IntervalSet, AgreesWithBitmaps) {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    const auto a = RandomIntervals(random, 10), b = RandomIntervals(random, 10);
    const IntervalSet x(a), y(b);
    const Bits p = ToBits(a), q = ToBits(b);
    ExpectSame(x, p);
    ExpectSame(x.Union(y), p | q);
    ExpectSame(x.Intersect(y), p & q);
    ExpectSame(x.Subtract(y), p & ~q);
    EXPECT_EQ(x.IntersectionLength(y), static_cast<int64_t>((p & q).count()));
    const int64_t from = random() % kSpan, to = random() % (kSpan + 1);
    const Bits window = from < to ? ToBits({{from, to}}) : Bits();
    ExpectSame(x.Clip(from, to), p & window);
    ExpectSame(x.Complement(from, to), window & ~p);
    if (from < to) {
      EXPECT_EQ(x.LengthWithin(from, to), static_cast<int64_t>((p & window).count()));
    }
    EXPECT_EQ(x.Contains(from), p[from]);
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(IntervalSet, TouchingIntervalsAreOne) {
  IntervalSet set;
  set.Append(0, 5);
  set.Append(5, 9);
  set.Append(9, 9);
  ASSERT_EQ(set.size(), 1U);
  EXPECT_EQ(set.intervals()[0], (Interval{0, 9}));
}

}  // namespace
}  // namespace warpscope::analysis
