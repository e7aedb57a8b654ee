#include "rules/framework/rank_pace.h"

#include <algorithm>
#include <set>

#include "analysis/device_time.h"
#include "analysis/host_time.h"
#include "analysis/steps.h"
#include "analysis/window.h"

namespace warpscope::rules {
namespace {

constexpr double kMinExcessRatio = 0.05;  // of the step
constexpr double kMinExcessMs = 0.1;

double MedianOfOthers(const std::vector<double>& values, size_t own) {
  std::vector<double> others;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != own) others.push_back(values[i]);
  }
  std::sort(others.begin(), others.end());
  const size_t middle = others.size() / 2;
  return others.size() % 2 == 1 ? others[middle] : (others[middle - 1] + others[middle]) / 2;
}

double Mean(int64_t total_ns, uint64_t count) { return static_cast<double>(total_ns) / static_cast<double>(count); }

// The shortest mean duration of a name on any rank: clean ones if there are any.
double BestMean(const std::vector<RankPace>& paces, model::StringId name) {
  double clean = 0, any = 0;
  for (const RankPace& pace : paces) {
    const auto it = pace.kernels.find(name);
    if (it == pace.kernels.end() || it->second.count == 0) continue;
    const double mean = Mean(it->second.total_ns, it->second.count);
    any = any == 0 ? mean : std::min(any, mean);
    if (it->second.clean == 0) continue;
    const double own = Mean(it->second.clean_ns, it->second.clean);
    clean = clean == 0 ? own : std::min(clean, own);
  }
  return clean > 0 ? clean : any;
}

// Time of each rank's kernels a step, had none of them been slowed by communication beside it.
std::vector<double> ComputeMs(const std::vector<RankPace>& paces) {
  std::vector<double> compute;
  for (const RankPace& pace : paces) {
    double ns = 0;
    for (const auto& [name, work] : pace.kernels) {
      const double mean = work.clean > 0 ? Mean(work.clean_ns, work.clean) : BestMean(paces, name);
      ns += mean * static_cast<double>(work.count);
    }
    compute.push_back(ns / 1e6 / pace.steps);
  }
  return compute;
}

std::map<model::StringId, KernelWork> KernelsOf(const analysis::Index& index, const analysis::Scope& scope) {
  const analysis::IntervalSet communication = analysis::GpuIntervals(index, scope, analysis::GpuClass::kCommunication);
  const model::Trace& trace = index.trace();
  std::map<model::StringId, KernelWork> kernels;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.kind[row] != model::GpuKind::kKernel || trace.GpuDomain(row) != *scope.link_domain) continue;
    if (!scope.window.Contains(trace.gpu.start_ns[row]) || index.is_communication(row)) continue;
    KernelWork& work = kernels[trace.gpu.name[row]];
    ++work.count;
    work.total_ns += trace.gpu.dur_ns[row];
    if (communication.LengthWithin(trace.gpu.start_ns[row], trace.gpu.end_ns(row)) > 0) continue;
    ++work.clean;
    work.clean_ns += trace.gpu.dur_ns[row];
  }
  return kernels;
}

}  // namespace

bool RankNumbersRepeat(const analysis::Index& index) {
  std::set<int64_t> seen;
  return std::any_of(index.ranks().begin(), index.ranks().end(),
                     [&](const analysis::Rank& rank) { return rank.rank && !seen.insert(*rank.rank).second; });
}

std::vector<RankPace> RankPaces(const analysis::Index& index) {
  std::vector<RankPace> paces;
  if (RankNumbersRepeat(index)) return paces;  // files of several runs: nothing to compare
  for (const analysis::Rank& rank : index.ranks()) {
    const analysis::Steps steps = analysis::FindSteps(index, rank.link_domain);
    const analysis::Scope scope{rank.link_domain, std::nullopt, {steps.window_begin_ns, steps.window_end_ns}};
    RankPace pace;
    pace.link_domain = rank.link_domain;
    pace.steps = std::max(1U, steps.counted());
    pace.step_ms = static_cast<double>(steps.window_end_ns - steps.window_begin_ns) / 1e6 / pace.steps;
    pace.kernels = KernelsOf(index, scope);
    int64_t stall_ns = 0;
    for (const analysis::IssueGap& gap :
         analysis::FindIssueGaps(index, rank, steps.window_begin_ns, steps.window_end_ns)) {
      // The stretches at the window's edges belong to the recorder.
      const bool inside = gap.prev_call != model::kNone && gap.next_call != model::kNone;
      if (inside && gap.end_ns - gap.start_ns >= kLongStallNs) stall_ns += gap.end_ns - gap.start_ns;
    }
    pace.stall_ms = static_cast<double>(stall_ns) / 1e6 / pace.steps;
    paces.push_back(std::move(pace));
  }
  return paces;
}

std::optional<Straggler> FindStraggler(const std::vector<RankPace>& paces) {
  if (paces.size() < 2) return std::nullopt;
  const std::vector<double> compute = ComputeMs(paces);
  std::vector<double> stalls;
  for (const RankPace& pace : paces) stalls.push_back(pace.stall_ms);
  std::optional<Straggler> found;
  for (size_t i = 0; i < paces.size(); ++i) {
    for (const bool by_compute : {true, false}) {
      const std::vector<double>& values = by_compute ? compute : stalls;
      const double excess = values[i] - MedianOfOthers(values, i);
      if (excess < std::max(kMinExcessMs, kMinExcessRatio * paces[i].step_ms)) continue;
      if (!found || excess > found->excess_ms) {
        found = Straggler{paces[i].link_domain, excess, paces[i].step_ms, by_compute};
      }
    }
  }
  return found;
}

}  // namespace warpscope::rules
