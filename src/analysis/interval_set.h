// IntervalSet: sorted, disjoint, non-empty half-open intervals of ns, and the set operations on them.
// [MT] for const use. Invariant: begin < end, and each end < next begin (touching ones are merged).
// Every operation is O(n) in the intervals involved; building is O(n) on input sorted by begin, else O(n log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpscope::analysis {

struct Interval {
  int64_t begin_ns = 0, end_ns = 0;
  int64_t length_ns() const { return end_ns - begin_ns; }
  bool operator==(const Interval&) const = default;
};

class IntervalSet {
 public:
  IntervalSet() = default;
  // Any order, overlapping, empty ones ignored.
  explicit IntervalSet(std::vector<Interval> intervals);

  // Appends an interval whose begin is not before the begin of the last one added; merges what touches. O(1).
  void Append(int64_t begin_ns, int64_t end_ns);

  IntervalSet Union(const IntervalSet& other) const;
  IntervalSet Intersect(const IntervalSet& other) const;
  IntervalSet Subtract(const IntervalSet& other) const;
  IntervalSet Clip(int64_t begin_ns, int64_t end_ns) const;
  // What [begin_ns, end_ns) holds that the set does not.
  IntervalSet Complement(int64_t begin_ns, int64_t end_ns) const;

  int64_t length_ns() const;                                     // sum of lengths
  int64_t LengthWithin(int64_t begin_ns, int64_t end_ns) const;  // O(log n + intervals touched)
  int64_t IntersectionLength(const IntervalSet& other) const;    // without building it
  bool Contains(int64_t time_ns) const;                          // O(log n)

  const std::vector<Interval>& intervals() const { return intervals_; }
  bool empty() const { return intervals_.empty(); }
  size_t size() const { return intervals_.size(); }
  bool operator==(const IntervalSet&) const = default;

 private:
  std::vector<Interval> intervals_;
};

}  // namespace warpscope::analysis
