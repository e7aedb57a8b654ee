#include "analysis/replay/replay.h"

#include <algorithm>

namespace warpscope::analysis::replay {
namespace {

struct Columns {
  const uint32_t* prev;
  const uint32_t* issue;
  const int64_t* dur;
  const int64_t* prev_lag;
  const int64_t* issue_lag;
  const int64_t* edge_lag;
  const int64_t* residual;
  const uint32_t* edge_begin;
  const uint32_t* edge_from;
  const uint8_t* edge_at_end;
};

Columns ColumnsOf(const View& view) {
  const Graph& graph = *view.graph;
  const Weights& weights = *view.weights;
  return {view.prev ? view.prev->data() : graph.prev.data(),
          view.issue ? view.issue->data() : graph.issue.data(),
          weights.dur.data(),
          weights.prev_lag.data(),
          weights.issue_lag.data(),
          weights.edge_lag.data(),
          weights.residual.empty() ? nullptr : weights.residual.data(),
          graph.edge_begin.data(),
          graph.edge_from.data(),
          graph.edge_at_end.data()};
}

inline int64_t Start(const Columns& c, const int64_t* end, uint32_t i) {
  int64_t t = c.prev_lag[i];
  if (c.prev[i] != kNoItem) t += end[c.prev[i]];
  if (c.issue[i] != kNoItem) t = std::max(t, end[c.issue[i]] + c.issue_lag[i]);
  for (uint32_t e = c.edge_begin[i]; e < c.edge_begin[i + 1] && !c.edge_at_end[e]; ++e) {
    t = std::max(t, end[c.edge_from[e]] + c.edge_lag[e]);
  }
  if (c.residual) t += c.residual[i];
  return t;
}

inline int64_t End(const Columns& c, const int64_t* end, uint32_t i, int64_t start) {
  int64_t t = start + c.dur[i];
  for (uint32_t e = c.edge_begin[i + 1]; e > c.edge_begin[i] && c.edge_at_end[e - 1]; --e) {
    t = std::max(t, end[c.edge_from[e - 1]] + c.edge_lag[e - 1]);
  }
  return t;
}

// The worker runs freely: ticket k is done at (first arrival) + work of tickets 1..k. The first was fetched ahead.
int64_t TicketFloor(const std::vector<WorkerTicket>& tickets, size_t& next, uint32_t item, int64_t start,
                    int64_t& worker_done) {
  for (; next < tickets.size() && tickets[next].item == item; ++next) {
    if (worker_done == kNever) {
      worker_done = start;
      continue;
    }
    worker_done += tickets[next].work_ns;
    start = std::max(start, worker_done + tickets[next].handover_ns);
  }
  return start;
}

}  // namespace

void Run(const View& view, std::vector<int64_t>& end) {
  const uint32_t count = view.graph->size();
  end.resize(count);
  const Columns columns = ColumnsOf(view);
  int64_t* const out = end.data();
  size_t next_ticket = 0;
  int64_t worker_done = kNever;
  uint32_t i = 0;
  while (i < count) {
    const bool more = view.tickets && next_ticket < view.tickets->size();
    const uint32_t stop = more ? std::min(count, (*view.tickets)[next_ticket].item) : count;
    for (; i < stop; ++i) out[i] = End(columns, out, i, Start(columns, out, i));
    if (i >= count) break;
    const int64_t start = TicketFloor(*view.tickets, next_ticket, i, Start(columns, out, i), worker_done);
    out[i] = End(columns, out, i, start);
    ++i;
  }
}

int64_t StartOf(const View& view, const std::vector<int64_t>& end, uint32_t item) {
  return Start(ColumnsOf(view), end.data(), item);
}

Cause CauseOf(const View& view, const std::vector<int64_t>& end, uint32_t i) {
  const Columns c = ColumnsOf(view);
  for (uint32_t e = c.edge_begin[i]; e < c.edge_begin[i + 1]; ++e) {
    if (c.edge_at_end[e] && end[c.edge_from[e]] + c.edge_lag[e] == end[i] && c.edge_lag[e] > kNever / 2) {
      return {c.edge_from[e], view.graph->edge_kind[e], c.edge_lag[e], true};
    }
  }
  const int64_t start = Start(c, end.data(), i) - (c.residual ? c.residual[i] : 0);
  for (uint32_t e = c.edge_begin[i]; e < c.edge_begin[i + 1]; ++e) {
    if (!c.edge_at_end[e] && end[c.edge_from[e]] + c.edge_lag[e] == start) {
      return {c.edge_from[e], view.graph->edge_kind[e], c.edge_lag[e], false};
    }
  }
  if (c.issue[i] != kNoItem && end[c.issue[i]] + c.issue_lag[i] == start) {
    return {c.issue[i], EdgeKind::kIssue, c.issue_lag[i], false};
  }
  return {c.prev[i], EdgeKind::kPrev, c.prev_lag[i], false};
}

Weights IdentityWeights(const Graph& graph, const Weights& structural) {
  Weights weights = structural;
  weights.residual.assign(graph.size(), 0);
  const auto clamp = [](int64_t lag, int64_t room) { return lag <= kNever / 2 ? lag : std::min(lag, room); };
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const int64_t start = graph.recorded_start[i];
    const int64_t end = graph.recorded_end[i];
    const int64_t base = graph.prev[i] == kNoItem ? 0 : graph.recorded_end[graph.prev[i]];
    weights.prev_lag[i] = clamp(weights.prev_lag[i], start - base);
    int64_t bound = base + weights.prev_lag[i];
    if (graph.issue[i] != kNoItem) {
      const int64_t issued = graph.recorded_end[graph.issue[i]];
      weights.issue_lag[i] = clamp(weights.issue_lag[i], start - issued);
      bound = std::max(bound, issued + weights.issue_lag[i]);
    }
    uint32_t waited_for = kNoItem;  // edge of the last thing that a waiting call waited for
    for (uint32_t e = graph.edge_begin[i]; e < graph.edge_begin[i + 1]; ++e) {
      if (weights.edge_lag[e] <= kNever / 2) continue;
      const int64_t from = graph.recorded_end[graph.edge_from[e]];
      const bool at_end = graph.edge_at_end[e] != 0;
      weights.edge_lag[e] = clamp(weights.edge_lag[e], (at_end ? end : start) - from);
      if (!at_end) bound = std::max(bound, from + weights.edge_lag[e]);
      const bool waited = at_end && from > start;  // a copy may end just after its call
      if (waited && (waited_for == kNoItem || from > graph.recorded_end[graph.edge_from[waited_for]])) waited_for = e;
    }
    weights.residual[i] = start - bound;
    if (waited_for != kNoItem && start + weights.dur[i] < end) {
      weights.edge_lag[waited_for] = end - graph.recorded_end[graph.edge_from[waited_for]];
    } else {
      weights.dur[i] = end - start;
    }
  }
  return weights;
}

}  // namespace warpscope::analysis::replay
