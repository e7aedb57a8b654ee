#include "analysis/interval_set.h"

#include <algorithm>

namespace warpscope::analysis {

IntervalSet::IntervalSet(std::vector<Interval> intervals) {
  const auto by_begin = [](const Interval& a, const Interval& b) { return a.begin_ns < b.begin_ns; };
  if (!std::is_sorted(intervals.begin(), intervals.end(), by_begin)) {
    std::sort(intervals.begin(), intervals.end(), by_begin);
  }
  intervals_.reserve(intervals.size());
  for (const Interval& interval : intervals) Append(interval.begin_ns, interval.end_ns);
}

void IntervalSet::Append(int64_t begin_ns, int64_t end_ns) {
  if (begin_ns >= end_ns) return;
  if (!intervals_.empty() && begin_ns <= intervals_.back().end_ns) {
    intervals_.back().end_ns = std::max(intervals_.back().end_ns, end_ns);
  } else {
    intervals_.push_back({begin_ns, end_ns});
  }
}

IntervalSet IntervalSet::Union(const IntervalSet& other) const {
  IntervalSet out;
  out.intervals_.reserve(size() + other.size());
  size_t a = 0, b = 0;
  while (a < size() || b < other.size()) {
    const bool take_a = b == other.size() || (a < size() && intervals_[a].begin_ns <= other.intervals_[b].begin_ns);
    const Interval& next = take_a ? intervals_[a++] : other.intervals_[b++];
    out.Append(next.begin_ns, next.end_ns);
  }
  return out;
}

IntervalSet IntervalSet::Intersect(const IntervalSet& other) const {
  IntervalSet out;
  size_t a = 0, b = 0;
  while (a < size() && b < other.size()) {
    const Interval& x = intervals_[a];
    const Interval& y = other.intervals_[b];
    const int64_t begin = std::max(x.begin_ns, y.begin_ns);
    const int64_t end = std::min(x.end_ns, y.end_ns);
    if (begin < end) out.intervals_.push_back({begin, end});
    x.end_ns <= y.end_ns ? ++a : ++b;
  }
  return out;
}

IntervalSet IntervalSet::Subtract(const IntervalSet& other) const {
  IntervalSet out;
  size_t b = 0;
  for (const Interval& interval : intervals_) {
    int64_t from = interval.begin_ns;
    while (b < other.size() && other.intervals_[b].end_ns <= from) ++b;
    for (size_t i = b; i < other.size() && other.intervals_[i].begin_ns < interval.end_ns; ++i) {
      if (other.intervals_[i].begin_ns > from) out.intervals_.push_back({from, other.intervals_[i].begin_ns});
      from = std::max(from, other.intervals_[i].end_ns);
      b = i;  // the last one may reach into the next interval
    }
    if (from < interval.end_ns) out.intervals_.push_back({from, interval.end_ns});
  }
  return out;
}

IntervalSet IntervalSet::Clip(int64_t begin_ns, int64_t end_ns) const {
  IntervalSet window;
  window.Append(begin_ns, end_ns);
  return Intersect(window);
}

IntervalSet IntervalSet::Complement(int64_t begin_ns, int64_t end_ns) const {
  IntervalSet window;
  window.Append(begin_ns, end_ns);
  return window.Subtract(*this);
}

int64_t IntervalSet::length_ns() const {
  int64_t sum = 0;
  for (const Interval& interval : intervals_) sum += interval.length_ns();
  return sum;
}

int64_t IntervalSet::LengthWithin(int64_t begin_ns, int64_t end_ns) const {
  auto it = std::upper_bound(intervals_.begin(), intervals_.end(), begin_ns,
                             [](int64_t time, const Interval& interval) { return time < interval.end_ns; });
  int64_t sum = 0;
  for (; it != intervals_.end() && it->begin_ns < end_ns; ++it) {
    sum += std::min(it->end_ns, end_ns) - std::max(it->begin_ns, begin_ns);
  }
  return sum;
}

int64_t IntervalSet::IntersectionLength(const IntervalSet& other) const {
  int64_t sum = 0;
  size_t a = 0, b = 0;
  while (a < size() && b < other.size()) {
    const Interval& x = intervals_[a];
    const Interval& y = other.intervals_[b];
    sum += std::max<int64_t>(0, std::min(x.end_ns, y.end_ns) - std::max(x.begin_ns, y.begin_ns));
    x.end_ns <= y.end_ns ? ++a : ++b;
  }
  return sum;
}

bool IntervalSet::Contains(int64_t time_ns) const { return LengthWithin(time_ns, time_ns + 1) > 0; }

}  // namespace warpscope::analysis
