#include "cli/kernels_that_matter.h"

#include <algorithm>
#include <map>

#include "analysis/replay/simulator.h"

namespace warpscope::cli {
namespace {

// Most kernels of a program take next to nothing of it: these hold what a change can win.
constexpr double kEnoughPct = 90;
constexpr size_t kMostNames = 12;

using Totals = std::map<model::StringId, double>;

bool IsKernel(const model::Trace& trace, uint32_t row) { return trace.gpu.kind[row] == model::GpuKind::kKernel; }

Totals OfPath(const Loaded& loaded) {
  Totals totals;
  analysis::SimulatorOptions options;
  options.link_domain = loaded.rank_domain;
  const auto simulator = analysis::Simulator::Build(*loaded.trace, loaded.steps, options);
  if (!simulator.ok()) return totals;
  for (const auto& item : simulator.value().CriticalPath()) {
    if (item.kind != analysis::Simulator::PathItem::kGpu || !IsKernel(*loaded.trace, item.row)) continue;
    totals[loaded.trace->gpu.name[item.row]] += static_cast<double>(item.dur_ns);
  }
  return totals;
}

Totals OfTime(const model::Trace& trace) {
  Totals totals;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (IsKernel(trace, row)) totals[trace.gpu.name[row]] += static_cast<double>(trace.gpu.dur_ns[row]);
  }
  return totals;
}

}  // namespace

KernelsThatMatter FindKernelsThatMatter(const Loaded& loaded) {
  KernelsThatMatter found;
  Totals totals = OfPath(loaded);
  found.by_path = !totals.empty();
  if (totals.empty()) totals = OfTime(*loaded.trace);
  std::vector<std::pair<double, std::string>> order;
  double all = 0, held = 0;
  for (const auto& [name, ns] : totals) {
    order.emplace_back(ns, loaded.trace->Text(name));
    all += ns;
  }
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  for (const auto& [ns, name] : order) {
    if (found.names.size() == kMostNames || held >= all * kEnoughPct / 100 || !(ns > 0)) break;
    held += ns;
    found.names.push_back(name);
  }
  found.share_pct = all > 0 ? 100 * held / all : 0;
  found.left_out = order.size() - found.names.size();
  return found;
}

}  // namespace warpscope::cli
