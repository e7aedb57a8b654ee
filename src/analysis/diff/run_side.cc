#include "analysis/diff/run_side.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "analysis/diff/comparable.h"
#include "analysis/diff/environment.h"
#include "analysis/diff/pool.h"
#include "analysis/memory_usage.h"

namespace warpscope::analysis {
namespace {

std::optional<double> PeakMemory(const Index& index, const Steps& steps, uint32_t domain, uint32_t device) {
  const Scope scope{domain, std::nullopt, {steps.window_begin_ns, steps.window_end_ns}};
  for (const DeviceMemory& memory : SummarizeMemory(index, scope, &steps).devices) {
    if (memory.device == device && memory.absolute && memory.peak_allocated_bytes)
      return static_cast<double>(*memory.peak_allocated_bytes);
  }
  return std::nullopt;
}

void KeepCells(const std::vector<uint32_t>& kept, std::vector<int64_t>* cells) {
  std::vector<int64_t> out;
  for (const uint32_t step : kept) out.push_back((*cells)[step]);
  *cells = std::move(out);
}

void ThinSteps(uint32_t most, StepParts* parts) {
  if (parts->counted <= most || most < 2) return;
  std::vector<uint32_t> kept;
  for (uint32_t i = 0; i < most; ++i)
    kept.push_back(static_cast<uint32_t>(uint64_t{i} * (parts->counted - 1) / (most - 1)));
  KeepCells(kept, &parts->length_ns), KeepCells(kept, &parts->rest_ns);
  for (Work& work : parts->works) KeepCells(kept, &work.step_ns);
  for (IdleWork& idle : parts->idles) KeepCells(kept, &idle.step_ns);
  std::vector<double> step_ms;
  for (const uint32_t step : kept) step_ms.push_back(parts->step_ms[step]);
  parts->step_ms = std::move(step_ms);
  parts->counted = most;
}

int64_t SumOf(const std::vector<int64_t>& cells) { return std::accumulate(cells.begin(), cells.end(), int64_t{0}); }

void AddTo(Work* sum, const Work& work) {
  sum->count += work.count;
  sum->own_ns += work.own_ns;
  sum->bytes += work.bytes;
  for (size_t i = 0; i < work.step_ns.size(); ++i) sum->step_ns[i] += work.step_ns[i];
}

// Small kernels become one of their category each, which takes the place of the first.
void ThinWorks(const Thinning& thinning, StepParts* parts, Words* words) {
  std::vector<std::pair<int64_t, uint32_t>> order;
  for (uint32_t row = 0; row < parts->works.size(); ++row) {
    if (parts->works[row].kind == WorkKind::kKernel) order.emplace_back(SumOf(parts->works[row].step_ns), row);
  }
  std::sort(order.begin(), order.end());
  double left_ns = 0;
  for (const auto& [ns, row] : order) left_ns += thinning.tail_ratio * static_cast<double>(ns);
  std::vector<char> small(parts->works.size());
  for (size_t i = 0; i + thinning.most_works < order.size(); ++i) {
    left_ns -= static_cast<double>(order[i].first);
    if (left_ns < 0) break;
    small[order[i].second] = 1;
  }
  std::vector<Work> kept;
  std::map<KernelCategory, size_t> sums;  // row of kept
  for (uint32_t row = 0; row < parts->works.size(); ++row) {
    Work& work = parts->works[row];
    if (small[row] == 0) {
      kept.push_back(std::move(work));
      continue;
    }
    const KernelCategory category = work.kernel_class.category;
    const auto [it, fresh] = sums.try_emplace(category, kept.size());
    if (!fresh) {
      AddTo(&kept[it->second], work);
      continue;
    }
    work.place = {};
    work.geometry = 0;
    work.kernel_class = {};
    work.kernel_class.category = category;
    work.name = work.loose = words->Of(PoolName(category));
    kept.push_back(std::move(work));
  }
  parts->works = std::move(kept);
}

}  // namespace

RunSide RunSideOf(const Index& index, uint32_t domain, Words* words) {
  RunSide side;
  const model::Trace& trace = index.trace();
  const Steps steps = FindSteps(index, domain);
  side.facts = FactsOf(trace);
  side.losses = LossesOf(trace);
  side.has_timeline = trace.has_timeline();
  side.has_host = trace.host.size() > 0;
  std::set<uint32_t> devices;
  for (const Rank& rank : index.ranks()) {
    if (rank.link_domain == domain) side.rank = rank.rank;
    if (rank.gpu_rows == 0) continue;
    ++side.ranks;
    devices.insert(rank.devices.begin(), rank.devices.end());
  }
  side.devices = static_cast<uint32_t>(devices.size());
  side.source = steps.source;
  side.warmup = steps.warmup_excluded;
  side.step_ms = steps.durations_ms;
  side.parts = PartsOf(index, steps, domain, words);
  if (side.parts.counted > 0) side.peak_memory_bytes = PeakMemory(index, steps, domain, side.parts.device);
  side.recorder = RecorderCostOf(index, steps, domain, side.parts);
  return side;
}

bool IsSameRecording(const RunSide& a, const RunSide& b) {
  constexpr double kNanosecond = 1.5e-6;  // ms, and what writing as text rounds
  if (a.rank != b.rank || a.step_ms.empty() || a.step_ms.size() != b.step_ms.size()) return false;
  if (a.parts.kernels != b.parts.kernels || a.parts.copies != b.parts.copies) return false;
  // Times of a few hundred calls: sums that no two runs share.
  const auto calls = static_cast<double>(a.parts.launch_call_ns);
  constexpr double kRounding = 1e-5;  // of a sum, where each call was rounded to ns
  if (std::abs(calls - static_cast<double>(b.parts.launch_call_ns)) > kRounding * calls) return false;
  return std::equal(a.step_ms.begin(), a.step_ms.end(), b.step_ms.begin(),
                    [](double x, double y) { return std::abs(x - y) <= kNanosecond; });
}

void Thin(const Thinning& thinning, RunSide* side, Words* words) {
  ThinSteps(thinning.most_steps, &side->parts);
  if (thinning.tail_ratio > 0) ThinWorks(thinning, &side->parts, words);
}

}  // namespace warpscope::analysis
