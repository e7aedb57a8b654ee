// The dependency graph that a replay runs on: items, agents and edges as struct of arrays with 32-bit indices.
//
// An agent (host thread, stream, copy engine) executes its items in order. Items are stored in a topological order, so
// a replay is one forward pass over the columns. The order is found once, by the ready-list algorithm of docs/whatif.md
// with parking; a cycle loses its weakest inferred edge (counted), so no input can hang it.
// Constraints of an item, in ns on the clock of the window (0 = window begin):
//   start >= end(prev) + prev_lag         program or stream order; without prev, prev_lag is an absolute time
//   start >= end(issue) + issue_lag       GPU item: its launch call. Host call: the item whose queue slot it needs
//   start >= end(from) + lag              extra edges with at_end = 0
//   end   >= start + dur, end(from) + lag extra edges with at_end = 1 (waits of a call)
// A lag of kNever disables a constraint. Lags may be negative (overlap on a stream is legal).
// [one thread] while building; [MT] for reads once built.
#pragma once

#include <cstdint>
#include <vector>

namespace warpscope::analysis::replay {

inline constexpr uint32_t kNoItem = UINT32_MAX;
inline constexpr int64_t kNever = -(int64_t{1} << 60);

enum class ItemKind : uint8_t {
  kHostCall,    // an outermost API call with the host work (gap) before it
  kHostWait,    // second half of a call that blocks for work it issued itself
  kMarker,      // begin of a step, end of the window; no time of its own
  kGpu,         // kernel, copy, memset, graph node
  kGpuJoin,     // end of a graph with several last nodes
  kGpuPending,  // device work issued before the window; runs at its recorded time
};

enum class EdgeKind : uint8_t {
  kPrev,
  kIssue,
  kQueueSlot,
  kEvent,
  kEngine,
  kSyncTarget,
  kOwnCopy,
  kGraphNode,
  kHandover,
  kLegacy,
  kHostOrder  // what a wait of the host keeps in order across streams; kNever until an edit drops the wait
};

// How sure an edge is; a cycle loses the lowest first.
enum Certainty : uint8_t { kGuessed = 1, kLikely = 2, kRecorded = 3 };

struct Graph {
  std::vector<ItemKind> kind;
  std::vector<uint32_t> agent;
  std::vector<uint32_t> row;  // host row (calls, waits) or gpu row; kNoItem if none
  std::vector<uint32_t> prev;
  std::vector<uint32_t> issue;
  std::vector<int64_t> recorded_start, recorded_end;
  std::vector<uint32_t> edge_begin;  // size() + 1 entries: extra edges of item i are [edge_begin[i], edge_begin[i+1])
  std::vector<uint32_t> edge_from;
  std::vector<uint8_t> edge_at_end;  // edges of an item: at_end = 0 first
  std::vector<EdgeKind> edge_kind;
  std::vector<Certainty> edge_certainty;
  uint32_t agent_count = 0;
  uint32_t dropped_edges = 0;  // taken out because they closed a cycle

  uint32_t size() const { return static_cast<uint32_t>(kind.size()); }
};

// The numbers of one variant of a graph (as recorded, corrected, changed). Same indices as the graph.
struct Weights {
  std::vector<int64_t> dur, prev_lag, issue_lag, edge_lag;
  std::vector<int64_t> residual;  // identity mode only; empty otherwise
};

// Collects items in any order and orders them. Item ids given out here are renumbered by Finish().
class GraphBuilder {
 public:
  struct Item {
    ItemKind kind = ItemKind::kHostCall;
    uint32_t agent = 0;
    uint32_t row = kNoItem;
    int64_t recorded_start = 0, recorded_end = 0;
    int64_t dur = 0;
    uint32_t prev = kNoItem;
    int64_t prev_lag = 0;
    uint32_t issue = kNoItem;
    int64_t issue_lag = 0;
  };
  struct Edge {
    uint32_t from, to;
    int64_t lag;
    EdgeKind kind;
    Certainty certainty;
    bool at_end;
  };

  uint32_t Add(const Item& item) {
    items.push_back(item);
    return static_cast<uint32_t>(items.size() - 1);
  }
  void AddEdge(const Edge& edge) { edges.push_back(edge); }

  // Orders everything. new_index[id] is the place of item `id`.
  void Finish(Graph& graph, Weights& weights, std::vector<uint32_t>& new_index);

  std::vector<Item> items;
  std::vector<Edge> edges;
};

}  // namespace warpscope::analysis::replay
