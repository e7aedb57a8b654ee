#include "analysis/replay/dilation.h"

#include <algorithm>
#include <cmath>

namespace warpscope::analysis::replay {
namespace {

int64_t Reduce(int64_t value_ns, double minus_ns, double least_ratio, double mu) {
  if (value_ns <= 0) return value_ns;
  const auto value = static_cast<double>(value_ns);
  return std::llround(mu * std::max(value * least_ratio, value - minus_ns));
}

}  // namespace

bool KnownRecorder(const model::Trace& trace) {
  return !trace.sources.empty() && trace.sources[0].format.find("kineto") != std::string::npos;
}

DilationCosts CostsFor(const model::Trace& trace) {
  if (KnownRecorder(trace)) return {};
  return {.operator_us = 0, .python_us = 0, .launch_us = 0, .call_us = 0, .return_ratio = 1.0};
}

Weights Corrected(const Model& model, const DilationCosts& costs, const Correction& correction) {
  Weights weights = model.structural;
  if (correction.lambda == 0 && correction.mu == 1.0) return weights;
  const Graph& graph = model.graph;
  const double unit = 1000.0 * correction.lambda * (model.parameters.host_speed > 0 ? model.parameters.host_speed : 1.0);
  const double keep_return = 1.0 - (1.0 - costs.return_ratio) * std::min(1.0, correction.lambda);
  for (uint32_t i = 0; i < graph.size(); ++i) {
    if (graph.kind[i] != ItemKind::kHostCall && graph.kind[i] != ItemKind::kMarker) continue;
    const RowCounts& counts = model.counts[i];
    const double rows = costs.operator_us * counts.operators + costs.python_us * counts.python;
    if (graph.prev[i] != kNoItem) {
      weights.prev_lag[i] = Reduce(weights.prev_lag[i], unit * rows, costs.least_left_ratio, correction.mu);
    }
    const double call = Issues(model.call_class[i]) ? costs.launch_us : costs.call_us;
    weights.dur[i] = Reduce(weights.dur[i], unit * call, costs.least_left_ratio, correction.mu);
    for (uint32_t e = graph.edge_begin[i]; e < graph.edge_begin[i + 1]; ++e) {
      if (graph.edge_kind[e] != EdgeKind::kSyncTarget) continue;
      weights.edge_lag[e] = std::llround(keep_return * static_cast<double>(weights.edge_lag[e]));
    }
  }
  return weights;
}

}  // namespace warpscope::analysis::replay
