#include "analysis/diff/change_kind.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace warpscope::analysis {
namespace {

struct Side {
  const StepParts* parts = nullptr;
  double count = 0, own_ns = 0;  // a step
  std::set<uint32_t> names, loose, dims;
  Precision precision = Precision::kUnknown;  // that most time is spent in
  const Work* largest = nullptr;
};

Side SideOf(const std::vector<uint32_t>& rows, const StepParts& parts) {
  Side side;
  side.parts = &parts;
  std::array<int64_t, 16> by_precision{};
  const double steps = std::max<uint32_t>(parts.counted, 1);
  for (const uint32_t row : rows) {
    const Work& work = parts.works[row];
    side.count += static_cast<double>(work.count) / steps;
    side.own_ns += static_cast<double>(work.own_ns) / steps;
    side.names.insert(work.name);
    side.loose.insert(work.loose);
    if (work.place.dims != 0) side.dims.insert(work.place.dims);
    by_precision[static_cast<size_t>(work.kernel_class.precision)] += work.own_ns;
    if (side.largest == nullptr || work.own_ns > side.largest->own_ns) side.largest = &work;
  }
  by_precision[static_cast<size_t>(Precision::kUnknown)] = 0;
  const auto most = std::max_element(by_precision.begin(), by_precision.end());
  if (*most > 0) side.precision = static_cast<Precision>(most - by_precision.begin());
  return side;
}

bool PrecisionsDiffer(Precision a, Precision b) {
  if (a == Precision::kUnknown || b == Precision::kUnknown || a == b) return false;
  const auto half = [](Precision p) { return p == Precision::kFp16 || p == Precision::kBf16; };
  return !(a == Precision::kHalf && half(b)) && !(b == Precision::kHalf && half(a));
}

std::string SubjectOf(const Work& work, const Words& words) {
  if (work.place.op != 0) return std::string(words.Text(work.place.op));
  return ShortKernelName(words.Text(work.name));
}

bool Overlap(const std::set<uint32_t>& x, const std::set<uint32_t>& y) {
  return std::any_of(x.begin(), x.end(), [&](uint32_t value) { return y.count(value) > 0; });
}

}  // namespace

PairChange ChangeOf(const WorkPair& pair, const StepParts& a, const StepParts& b, const Words& words) {
  PairChange change;
  const Side before = SideOf(pair.a, a), after = SideOf(pair.b, b);
  const Work& work = before.largest != nullptr ? *before.largest : *after.largest;
  change.subject = SubjectOf(work, words);
  if (work.kind == WorkKind::kCommunication) {
    change.kind = CauseKind::kCommunication;
    change.subject = ShortKernelName(words.Text(work.name));
    return change;
  }
  if (pair.a.empty() || pair.b.empty()) {
    change.kind = pair.a.empty() ? CauseKind::kNewKernels : CauseKind::kVanishedKernels;
    change.detail = KernelCategoryName(work.kernel_class.category);
    return change;
  }
  const bool same_kernels = before.names == after.names || before.loose == after.loose;
  const bool other_shapes = !before.dims.empty() && !after.dims.empty() && !Overlap(before.dims, after.dims);
  if (!same_kernels && PrecisionsDiffer(before.precision, after.precision)) {
    change.kind = CauseKind::kPrecision;
    change.detail = std::string(PrecisionName(before.precision)) + " to " + std::string(PrecisionName(after.precision));
    return change;
  }
  if (pair.match == Match::kShapes || (other_shapes && pair.match != Match::kClass && same_kernels)) {
    change.kind = CauseKind::kShapes;
    return change;
  }
  if (same_kernels) {
    const double mean_a = before.count > 0 ? before.own_ns / before.count : 0;
    const double mean_b = after.count > 0 ? after.own_ns / after.count : 0;
    const double by_count = std::abs(after.count - before.count) * mean_a;
    const double by_time = after.count * std::abs(mean_b - mean_a);
    change.kind = by_count > by_time ? CauseKind::kKernelCount : CauseKind::kKernelSpeed;
    if (mean_a > 0) change.ratio = mean_b / mean_a;
    return change;
  }
  constexpr double kFewer = 1.5;
  const bool fewer = before.count > kFewer * after.count || after.count > kFewer * before.count;
  change.kind = fewer ? CauseKind::kFusion : CauseKind::kAlgorithm;
  if (pair.match == Match::kClass) {
    change.detail = KernelCategoryName(work.kernel_class.category);
    change.subject = change.detail;
  } else if (pair.match == Match::kPlace && work.place.module != 0) {
    change.subject = words.Text(words.Last(work.place.module));
  }
  return change;
}

bool IsNear(double ratio, double common) {
  constexpr double kNear = 0.05;
  return common > 0 && std::abs(ratio / common - 1) <= kNear;
}

double CommonRatio(std::vector<RatioWeight> ratios, double all_weight) {
  constexpr size_t kFewest = 5;
  constexpr double kLeastChange = 0.03, kMost = 0.8, kOfAll = 0.6;
  double total = 0;
  for (const RatioWeight& one : ratios) total += one.weight;
  if (ratios.size() < kFewest || total <= 0 || total < kOfAll * all_weight) return 0;
  std::sort(ratios.begin(), ratios.end(), [](const RatioWeight& x, const RatioWeight& y) { return x.ratio < y.ratio; });
  double below = 0, common = 0, near = 0;
  for (const RatioWeight& one : ratios) {
    below += one.weight;
    if (below >= total / 2) {
      common = one.ratio;
      break;
    }
  }
  if (std::abs(common - 1) < kLeastChange) return 0;
  for (const RatioWeight& one : ratios) near += IsNear(one.ratio, common) ? one.weight : 0;
  return near >= kMost * total ? common : 0;
}

}  // namespace warpscope::analysis
