// JudgeGrowth: the shape of one level per step.
// Slope: Theil-Sen (median of the slopes of all pairs) with the interval of Sen (J. Am. Stat. Assoc. 63, 1968), from
// the variance of Kendall's S; for up to 5 levels that interval is the whole range of the slopes. Long series are
// first reduced to medians of equal groups, so the cost is linear plus a constant.
#include <algorithm>
#include <cmath>

#include "analysis/memory_usage.h"

namespace warpscope::analysis {
namespace {

using Levels = std::vector<double>;

// Levels closer than this are the same: an allocator's rounding, a few small tensors.
constexpr double kFloorBytes = 64 * 1024;
// Wobble below this share of the level is no shape.
constexpr double kFlatRatio = 0.01;
constexpr size_t kFewLevels = 6;    // below it, only a clear case is judged
constexpr size_t kMaxPoints = 600;  // of the pairwise slopes
constexpr size_t kGroups = 6;       // a ramp rises from group to group

double Median(Levels values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double Range(const Levels& levels) {
  const auto [low, high] = std::minmax_element(levels.begin(), levels.end());
  return *high - *low;
}

struct Point {
  double at, level;
};

// Medians of `count` runs of equal length (the levels themselves if there are no more).
std::vector<Point> Groups(const Levels& levels, size_t count) {
  std::vector<Point> out;
  count = std::min(count, levels.size());
  for (size_t group = 0; group < count; ++group) {
    const size_t begin = levels.size() * group / count, end = levels.size() * (group + 1) / count;
    out.push_back(
        {static_cast<double>(begin + end - 1) / 2,
         Median(Levels(levels.begin() + static_cast<int64_t>(begin), levels.begin() + static_cast<int64_t>(end)))});
  }
  return out;
}

void FitSlope(const Levels& levels, Growth* out) {
  const std::vector<Point> points = Groups(levels, kMaxPoints);
  Levels slopes;
  for (size_t i = 0; i < points.size(); ++i) {
    for (size_t j = i + 1; j < points.size(); ++j) {
      slopes.push_back((points[j].level - points[i].level) / (points[j].at - points[i].at));
    }
  }
  std::sort(slopes.begin(), slopes.end());
  const double n = static_cast<double>(points.size()), pairs = static_cast<double>(slopes.size());
  const double reach = 1.96 * std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  const double last = pairs - 1;
  out->low_bytes_per_step = slopes[static_cast<size_t>(std::clamp(std::floor((pairs - reach) / 2), 0.0, last))];
  out->high_bytes_per_step = slopes[static_cast<size_t>(std::clamp(std::ceil((pairs + reach) / 2), 0.0, last))];
  out->bytes_per_step = Median(slopes);
}

double RisingRatio(const Levels& levels) {
  size_t rising = 0;
  for (size_t i = 1; i < levels.size(); ++i) rising += levels[i] > levels[i - 1];
  return static_cast<double>(rising) / static_cast<double>(levels.size() - 1);
}

// Few levels: a ramp only if every step rises by much the same notable amount; a plateau only if growth has ended.
GrowthShape JudgeFew(const Levels& levels, double tolerance) {
  Levels rises;
  for (size_t i = 1; i < levels.size(); ++i) rises.push_back(levels[i] - levels[i - 1]);
  const auto [least, most] = std::minmax_element(rises.begin(), rises.end());
  const double spread = levels.size() == 3 ? 1.25 : 2.0;
  if (*least >= kFloorBytes && *most <= spread * *least) return GrowthShape::kRamp;
  if (Range(levels) <= tolerance || levels.back() <= levels.front()) return GrowthShape::kFlat;
  const bool settled =
      levels.size() > 3 && std::abs(rises.back()) <= tolerance && std::abs(rises[rises.size() - 2]) <= tolerance;
  return settled ? GrowthShape::kPlateau : GrowthShape::kUnknown;
}

struct Legs {
  size_t up = 0, down = 0;
};

// Turns of at least `swing`: each leg runs from one turn to the next.
Legs CountLegs(const Levels& levels, double swing) {
  Legs legs;
  double low = levels[0], high = levels[0];
  int direction = 0;
  for (const double level : levels) {
    low = std::min(low, level);
    high = std::max(high, level);
    if (direction <= 0 && level - low >= swing) {
      ++legs.up, direction = 1, high = level;
    } else if (direction >= 0 && high - level >= swing) {
      ++legs.down, direction = -1, low = level;
    }
    if (direction > 0) low = level;
    if (direction < 0) high = level;
  }
  return legs;
}

// Rises and falls again and again, the rises no steeper than the falls: noise jumps both ways alike.
bool IsSawTooth(const Levels& levels) {
  const Legs legs = CountLegs(levels, 0.4 * Range(levels));
  if (legs.down == 0 || legs.up == 0) return false;
  // Mean length of a leg: noise turns at nearly every step.
  return static_cast<double>(levels.size()) / static_cast<double>(legs.up + legs.down) >= 2;
}

GrowthShape JudgeMany(const Levels& levels, const Growth& growth, double tolerance) {
  const size_t half = levels.size() / 2;
  const Levels first(levels.begin(), levels.begin() + static_cast<int64_t>(half));
  const Levels second(levels.begin() + static_cast<int64_t>(half), levels.end());
  const bool trend = growth.low_bytes_per_step > 0;
  const double gained = growth.bytes_per_step * static_cast<double>(levels.size() - 1);
  if (Range(levels) <= tolerance && !(trend && growth.rising_ratio >= 0.8 && gained >= kFloorBytes))
    return GrowthShape::kFlat;
  if (IsSawTooth(levels)) return GrowthShape::kSawTooth;

  // Growth within each half, from its begin to its end, by medians of its thirds.
  const auto gain = [](const Levels& part) {
    const std::vector<Point> thirds = Groups(part, 3);
    return thirds.back().level - thirds.front().level;
  };
  const double early = gain(first), late = gain(second);
  const double whole = Groups(levels, kGroups).back().level - levels.front();
  if (trend && late >= 0.5 * early) {
    size_t rising = 0;
    const std::vector<Point> groups = Groups(levels, kGroups);
    for (size_t i = 1; i < groups.size(); ++i) rising += groups[i].level > groups[i - 1].level;
    if (rising + 1 == groups.size() && late <= 4 * early) return GrowthShape::kRamp;
  }
  if (whole > tolerance && late <= std::max(0.2 * whole, kFloorBytes)) return GrowthShape::kPlateau;
  if (growth.low_bytes_per_step <= 0) return GrowthShape::kFlat;
  return GrowthShape::kUnknown;
}

}  // namespace

Growth JudgeGrowth(const std::vector<double>& level_bytes) {
  Growth out;
  if (level_bytes.size() < 3) return out;
  FitSlope(level_bytes, &out);
  out.rising_ratio = RisingRatio(level_bytes);
  const double tolerance = std::max(kFloorBytes, kFlatRatio * std::abs(Median(level_bytes)));
  out.shape =
      level_bytes.size() < kFewLevels ? JudgeFew(level_bytes, tolerance) : JudgeMany(level_bytes, out, tolerance);
  return out;
}

}  // namespace warpscope::analysis
