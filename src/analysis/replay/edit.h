// Applies a WhatIf to one variant of a model's weights.
// [MT] Pure; Changed belongs to the caller and can be used again.
#pragma once

#include <unordered_map>
#include <vector>

#include "analysis/replay/build.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/simulator.h"

namespace warpscope::analysis::replay {

// Kernels that copies come to run beside take this much longer for that time; the copies keep the speed of their link.
// H200, uploads of 55 GB/s over PCIe: kernels of five programs took 0 to 14 % longer.
inline constexpr double kSlowerBesideCopies = 0.1;

// The changed graph: own numbers, and own order where an edit moves work.
struct Changed {
  Weights weights;
  std::vector<uint32_t> prev, issue;  // empty: as recorded
  std::vector<WorkerTicket> tickets;

  View view(const Graph& graph) const {
    return {&graph, &weights, prev.empty() ? nullptr : &prev, issue.empty() ? nullptr : &issue,
            tickets.empty() ? nullptr : &tickets};
  }
};

// Host items per agent, in order, for finding what a span covers.
struct HostIndex {
  explicit HostIndex(const Model& model);
  std::vector<std::vector<uint32_t>> items_of_agent;
  std::vector<uint32_t> agent_of_thread;                              // kNone: thread without calls
  std::vector<uint32_t> position;                                     // item -> place in its agent's list
  std::vector<uint32_t> rows_of_call;                                 // item -> device rows it issued
  std::unordered_map<uint32_t, std::vector<uint32_t>> orders_behind;  // item -> edges of kHostOrder that leave it
};

// REQUIRES: changed.weights holds the variant's weights; prev, issue, tickets are empty.
void Apply(const Model& model, const HostIndex& index, const WhatIf& edits, Changed& changed);

}  // namespace warpscope::analysis::replay
