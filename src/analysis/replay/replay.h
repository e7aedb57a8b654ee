// The replay: one forward pass over a topologically ordered graph.
// [MT] Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/replay/graph.h"

namespace warpscope::analysis::replay {

// A consumer of host work done elsewhere: `item` may not start before the worker has finished `work_ns` more, counted
// from the moment the first consumer was reached. Sorted by item.
struct WorkerTicket {
  uint32_t item;
  int64_t work_ns;  // of this ticket, already divided by the number of workers
  int64_t handover_ns;
};

// Structure of a changed graph where it differs from the recorded one; null pointers = unchanged.
struct View {
  const Graph* graph = nullptr;
  const Weights* weights = nullptr;
  const std::vector<uint32_t>* prev = nullptr;
  const std::vector<uint32_t>* issue = nullptr;
  const std::vector<WorkerTicket>* tickets = nullptr;
};

// Ends of all items. O(items + edges).
void Run(const View& view, std::vector<int64_t>& end);

// Start of an item given all ends: before its own duration, after every start constraint.
int64_t StartOf(const View& view, const std::vector<int64_t>& end, uint32_t item);

// Which constraint decided an item's end.
struct Cause {
  uint32_t from = kNoItem;  // item whose end it was; kNoItem: an absolute time
  EdgeKind kind = EdgeKind::kPrev;
  int64_t lag = 0;
  bool at_end = false;  // the item's own duration did not matter
};
Cause CauseOf(const View& view, const std::vector<int64_t>& end, uint32_t item);

// Weights that reproduce the recorded times to the ns: every lag clamped to what was recorded, the rest as residual.
// Whatever durations `structural` holds are replaced by the recorded ones.
Weights IdentityWeights(const Graph& graph, const Weights& structural);

}  // namespace warpscope::analysis::replay
