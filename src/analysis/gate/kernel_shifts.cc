#include "analysis/gate/kernel_shifts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "analysis/diff/pair.h"
#include "analysis/gate/quantile.h"
#include "analysis/kernel_name.h"

namespace warpscope::analysis {
namespace {

// Spread of a kernel's time from run to run that is assumed where there are no repeats, and how many repeats the
// kernels' common spread counts for.
constexpr double kAssumedBetween = 0.005, kCommonRepeats = 10;

using WorkKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint64_t, uint32_t>;
WorkKey KeyOf(const Work& work) {
  return {work.place.path, work.place.op, work.place.dims, work.name, work.geometry, work.place.module};
}

// The times of one pair in the runs of one group: a middle a run.
struct Group {
  std::vector<RunCenter> runs;
  double ms = 0;  // a step, mean over the runs' middles
};

struct Pair {
  std::string subject, kernel;
  Group base, next;
};

// Time of every pair by step, in one run. Pairs without time in it have no cells.
std::vector<std::vector<double>> CellsOf(const RunSide& side, const std::map<WorkKey, size_t>& pair_of, size_t pairs) {
  std::vector<std::vector<double>> cells(pairs);
  for (const Work& work : side.parts.works) {
    const auto it = pair_of.find(KeyOf(work));
    if (it == pair_of.end()) continue;
    std::vector<double>& own = cells[it->second];
    own.resize(work.step_ns.size());
    for (size_t i = 0; i < work.step_ns.size(); ++i) own[i] += static_cast<double>(work.step_ns[i]) / 1e6;
  }
  return cells;
}

void AddRuns(const std::vector<const RunSide*>& sides, const std::map<WorkKey, size_t>& pair_of,
             std::vector<Pair>* pairs, Group Pair::*group) {
  for (const RunSide* side : sides) {
    const auto cells = CellsOf(*side, pair_of, pairs->size());
    for (size_t i = 0; i < pairs->size(); ++i) {
      if (const auto center = CenterOf(cells[i])) ((*pairs)[i].*group).runs.push_back(*center);
    }
  }
  for (Pair& pair : *pairs) {
    Group& own = pair.*group;
    for (const RunCenter& run : own.runs) own.ms += run.value() / static_cast<double>(own.runs.size());
  }
}

std::vector<double> LogsOf(const Group& group) {
  std::vector<double> logs;
  for (const RunCenter& run : group.runs) logs.push_back(run.log);
  return logs;
}

// Sum of squares within the groups, and its degrees of freedom.
std::pair<double, double> WithinGroups(const Pair& pair) {
  double squares = 0, freedom = 0;
  for (const Group* group : {&pair.base, &pair.next}) {
    const std::vector<double> logs = LogsOf(*group);
    const double mean = MeanOf(logs);
    for (const double value : logs) squares += (value - mean) * (value - mean);
    freedom += std::max<double>(0, static_cast<double>(logs.size()) - 1);
  }
  return {squares, freedom};
}

double CommonVariance(const std::vector<Pair>& pairs) {
  std::vector<double> variances;
  for (const Pair& pair : pairs) {
    const auto [squares, freedom] = WithinGroups(pair);
    if (freedom > 0) variances.push_back(squares / freedom);
  }
  return variances.empty() ? 0 : MedianOf(std::move(variances));
}

KernelShift Judge(const Pair& pair, double common, double alpha) {
  const auto [squares, freedom] = WithinGroups(pair);
  const double variance = (squares + kCommonRepeats * common) / (freedom + kCommonRepeats);
  double steps = 0, freedom_of_steps = 0;
  for (const Group* group : {&pair.base, &pair.next}) {
    const auto runs = static_cast<double>(group->runs.size());
    for (const RunCenter& run : group->runs) {
      steps += run.error * run.error / (runs * runs);
      freedom_of_steps += run.used - 1.0;
    }
  }
  const double inverse =
      1.0 / static_cast<double>(pair.base.runs.size()) + 1.0 / static_cast<double>(pair.next.runs.size());
  // What repeats show holds the steps' own spread; where that is larger (few repeats) it counts alone.
  const double assumed = kAssumedBetween * kAssumedBetween * inverse;
  const double by_runs = std::max(variance * inverse, assumed);
  const bool runs_tell = freedom > 0 && by_runs > steps;
  const double quantile = runs_tell ? StudentQuantile(1 - alpha, freedom + kCommonRepeats)
                                    : StudentQuantile(1 - alpha, std::max(freedom_of_steps, 2.0));
  const double half = quantile * std::sqrt(runs_tell ? by_runs : steps + assumed);
  const double diff = MeanOf(LogsOf(pair.next)) - MeanOf(LogsOf(pair.base));
  KernelShift shift{pair.subject, pair.kernel, pair.base.ms, pair.next.ms, pair.next.ms - pair.base.ms, 0, 0, 0};
  shift.diff_pct = 100 * std::expm1(diff);
  shift.low_pct = 100 * std::expm1(diff - half), shift.high_pct = 100 * std::expm1(diff + half);
  return shift;
}

bool ByLost(const KernelShift& x, const KernelShift& y) {
  return std::tuple(-std::abs(x.diff_ms), x.subject, x.kernel) < std::tuple(-std::abs(y.diff_ms), y.subject, y.kernel);
}

}  // namespace

KernelShifts ShiftsOfKernels(const std::vector<const RunSide*>& base, const std::vector<const RunSide*>& next,
                             size_t base_at, size_t next_at, const Words& words, const KernelShiftOptions& options) {
  const StepParts &a = base[base_at]->parts, &b = next[next_at]->parts;
  std::map<WorkKey, size_t> pair_a, pair_b;
  std::vector<Pair> pairs;
  for (const WorkPair& works : PairWorks(a, b)) {
    if (works.a.empty() || works.b.empty()) continue;
    for (const uint32_t row : works.a) pair_a[KeyOf(a.works[row])] = pairs.size();
    for (const uint32_t row : works.b) pair_b[KeyOf(b.works[row])] = pairs.size();
    const Work& first = b.works[works.b.front()];
    Pair pair;
    pair.kernel = ShortKernelName(words.Text(first.name));
    pair.subject = first.place.op == 0 ? pair.kernel : std::string(words.Text(first.place.op));
    pairs.push_back(std::move(pair));
  }
  AddRuns(base, pair_a, &pairs, &Pair::base);
  AddRuns(next, pair_b, &pairs, &Pair::next);
  std::erase_if(pairs, [](const Pair& pair) { return pair.base.runs.empty() || pair.next.runs.empty(); });
  KernelShifts out;
  out.judged = pairs.size();
  if (pairs.empty()) return out;
  const double common = CommonVariance(pairs);
  const double alpha = options.noise.alpha / static_cast<double>(pairs.size());
  const double least_ms = options.min_effect_pct / 100 * MedianOf(base[base_at]->step_ms);
  for (const Pair& pair : pairs) {
    KernelShift shift = Judge(pair, common, alpha);
    if (shift.diff_ms >= least_ms && shift.low_pct > 0) out.slower.push_back(std::move(shift));
    else if (shift.diff_ms <= -least_ms && shift.high_pct < 0) out.faster.push_back(std::move(shift));
  }
  std::sort(out.slower.begin(), out.slower.end(), ByLost), std::sort(out.faster.begin(), out.faster.end(), ByLost);
  return out;
}

}  // namespace warpscope::analysis
