#include "analysis/step_phases.h"

#include <algorithm>
#include <unordered_set>

namespace warpscope::analysis {
namespace {

constexpr double kMostWork = 0.5;
constexpr size_t kLeastRun = 5;            // markers: four steps
constexpr double kLeastRunShare = 0.3;     // of all markers
constexpr uint32_t kFartherThanUsual = 2;  // times the median distance

}  // namespace

Stretch SteadyStretch(const std::vector<uint64_t>& keys, const std::vector<int64_t>& work_ns) {
  std::unordered_set<uint64_t> known;
  Stretch best, open;
  int64_t best_ns = -1, open_ns = 0, total_ns = 0;
  const auto close = [&](size_t end) {
    open.end = end;
    if (open_ns > best_ns) best = open, best_ns = open_ns;
  };
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] != 0 && known.insert(keys[i]).second) {
      close(i);
      open.begin = i;
      open_ns = 0;
    }
    open_ns += work_ns[i];
    total_ns += work_ns[i];
  }
  close(keys.size());
  if (static_cast<double>(best_ns) < kMostWork * static_cast<double>(total_ns)) return {};
  return best;
}

Stretch LongestRun(const std::vector<uint32_t>& at) {
  const Stretch all{0, at.size()};
  if (at.size() < kLeastRun + 1) return all;
  std::vector<uint32_t> distances;
  for (size_t i = 1; i < at.size(); ++i) distances.push_back(at[i] - at[i - 1]);
  std::vector<uint32_t> sorted = distances;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  const uint64_t most = uint64_t{kFartherThanUsual} * sorted[sorted.size() / 2] + 1;
  Stretch best, open;
  for (size_t i = 0; i <= distances.size(); ++i) {
    if (i < distances.size() && distances[i] <= most) continue;
    open.end = i + 1;
    if (open.size() >= best.size()) best = open;  // of equals the later one: caches are warm
    open.begin = i + 1;
  }
  const bool enough =
      best.size() >= kLeastRun && static_cast<double>(best.size()) >= kLeastRunShare * static_cast<double>(at.size());
  return enough ? best : all;
}

}  // namespace warpscope::analysis
