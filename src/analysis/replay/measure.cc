#include "analysis/replay/measure.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "analysis/replay/parameters.h"

namespace warpscope::analysis::replay {
namespace {

constexpr uint32_t kStepsToSkipFirst = 4;
constexpr double kCatchingUpRatio = 1.05;

double Slope(const std::vector<int64_t>& times) {
  return static_cast<double>(times.back() - times.front()) / static_cast<double>(times.size() - 1);
}

bool IsDevice(ItemKind kind) { return kind == ItemKind::kGpu || kind == ItemKind::kGpuJoin; }

}  // namespace

double StepNs(const Model& model, const std::vector<int64_t>& end) {
  const Graph& graph = model.graph;
  std::vector<int64_t> last(model.steps, kNever);
  for (uint32_t i = 0; i < graph.size(); ++i) {
    if (IsDevice(graph.kind[i])) last[model.step[i]] = std::max(last[model.step[i]], end[i]);
  }
  if (model.steps < 2) {
    int64_t window = end[model.markers.back()];
    for (const int64_t time : last) window = std::max(window, time);
    return static_cast<double>(window);
  }
  // The first step often pays for the recorder's start; the last device items already leave it out.
  std::vector<int64_t> begins;
  for (uint32_t s = model.steps >= kStepsToSkipFirst ? 1 : 0; s < model.steps; ++s)
    begins.push_back(end[model.markers[s]]);
  const double host = Slope(begins);
  if (std::find(last.begin(), last.end(), kNever) != last.end()) return host;
  const double device = Slope(last);
  return host > kCatchingUpRatio * device ? host : device;
}

ModelError ErrorOf(const Model& model, const std::vector<int64_t>& end) {
  const Graph& graph = model.graph;
  ModelError error;
  const double recorded = StepNs(model, graph.recorded_end);
  const double replayed = StepNs(model, end);
  if (recorded > 0) error.step_error_pct = 100.0 * (replayed - recorded) / recorded;
  std::vector<int64_t> start_errors;
  double recorded_wait = 0, replayed_wait = 0;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    if (graph.kind[i] == ItemKind::kGpu) start_errors.push_back(std::abs(end[i] - graph.recorded_end[i]));
    bool waits = false;
    for (uint32_t e = graph.edge_begin[i]; e < graph.edge_begin[i + 1]; ++e) waits |= graph.edge_at_end[e] != 0;
    if (!waits || graph.prev[i] == kNoItem) continue;
    const int64_t begin = end[graph.prev[i]] + model.structural.prev_lag[i];
    recorded_wait += static_cast<double>(graph.recorded_end[i] - graph.recorded_start[i]);
    replayed_wait += static_cast<double>(end[i] - begin);
  }
  if (!start_errors.empty())
    error.kernel_start_error_p95_us = static_cast<double>(QuantileOf(start_errors, 0.95)) / 1e3;
  if (recorded_wait > 0) error.wait_error_pct = 100.0 * (replayed_wait - recorded_wait) / recorded_wait;
  return error;
}

}  // namespace warpscope::analysis::replay
