// The slow reference: every constraint of graph.h applied again and again until no end moves. Shares no code with the
// replay and needs no order. Header-only; never linked into the product.
// [MT] Pure function.
#pragma once

#include <algorithm>
#include <vector>

#include "analysis/replay/graph.h"

namespace warpscope::analysis::replay::testing {

inline std::vector<int64_t> ReferenceEnds(const Graph& graph, const Weights& weights) {
  std::vector<int64_t> end(graph.size(), INT64_MIN / 4);
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t i = graph.size(); i-- > 0;) {
      int64_t start = weights.prev_lag[i] + (graph.prev[i] == kNoItem ? 0 : end[graph.prev[i]]);
      if (graph.issue[i] != kNoItem) start = std::max(start, end[graph.issue[i]] + weights.issue_lag[i]);
      for (uint32_t e = graph.edge_begin[i]; e < graph.edge_begin[i + 1]; ++e) {
        if (graph.edge_at_end[e] == 0) start = std::max(start, end[graph.edge_from[e]] + weights.edge_lag[e]);
      }
      if (!weights.residual.empty()) start += weights.residual[i];
      int64_t finish = start + weights.dur[i];
      for (uint32_t e = graph.edge_begin[i]; e < graph.edge_begin[i + 1]; ++e) {
        if (graph.edge_at_end[e] != 0) finish = std::max(finish, end[graph.edge_from[e]] + weights.edge_lag[e]);
      }
      if (finish != end[i]) end[i] = finish, moved = true;
    }
  }
  return end;
}

}  // namespace warpscope::analysis::replay::testing
