// Series: what was sampled over time, as lines below the timeline: allocated memory, hardware counters, readings of a
// monitor. A value holds until the next point; NaN ends it. Long ones are thinned to kMaxPoints, lowest and highest
// values of each stretch kept. [MT] Values and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/index.h"

namespace warpscope::page {

struct Point {
  int64_t time_ns;
  float value;
};

struct Series {
  std::string_view kind;           // "memory", "counter", "readings"
  std::string name, unit;          // unit "" for plain numbers
  uint32_t device = model::kNone;  // row of devices; kNone: of the host or the machine
  std::vector<Point> points;       // by time
  uint64_t recorded = 0;           // points before thinning
};

inline constexpr size_t kMaxPoints = 20'000;

// Beside a timeline only readings of its time are taken.
std::vector<Series> SeriesOf(const analysis::Index& index);
// Keeps at most about `max_points`: first, lowest, highest and last of each stretch, and an end (NaN) if it has one.
std::vector<Point> Thin(std::vector<Point> points, size_t max_points);

}  // namespace warpscope::page
