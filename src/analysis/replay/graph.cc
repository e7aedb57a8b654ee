// GraphBuilder::Finish(): ready-list ordering with parking and cycle breaking.
#include "analysis/replay/graph.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace warpscope::analysis::replay {
namespace {

// Cycles that are resolved by looking for their weakest edge; beyond that the earliest stuck item is freed whole.
constexpr uint32_t kMaxCycleSearches = 64;

// One dependency of the ordering: of an item's prev, issue, or extra edge.
struct Dependency {
  uint32_t from, to;
  uint32_t edge;  // index into GraphBuilder::edges, or kNoItem
  EdgeKind kind;
  Certainty certainty;
  bool dropped = false;
};

class Orderer {
 public:
  explicit Orderer(GraphBuilder& builder) : builder_(builder), count_(static_cast<uint32_t>(builder.items.size())) {}

  std::vector<uint32_t> Run() {
    CollectDependencies();
    Index();
    std::vector<uint32_t> order;
    order.reserve(count_);
    for (uint32_t item = 0; item < count_; ++item) {
      if (parked_on_[item] == 0) Push(item);
    }
    while (order.size() < count_) {
      if (ready_.empty()) BreakCycle();
      if (ready_.empty()) continue;
      const uint32_t item = ready_.top().second;
      ready_.pop();
      if (done_[item]) continue;
      done_[item] = true;
      order.push_back(item);
      for (uint32_t i = out_begin_[item]; i < out_begin_[item + 1]; ++i) Release(out_[i]);
    }
    return order;
  }
  uint32_t dropped() const { return dropped_; }
  const std::vector<Dependency>& dependencies() const { return dependencies_; }

 private:
  void CollectDependencies() {
    for (uint32_t item = 0; item < count_; ++item) {
      const auto& it = builder_.items[item];
      if (it.prev != kNoItem) dependencies_.push_back({it.prev, item, kNoItem, EdgeKind::kPrev, kRecorded});
      if (it.issue != kNoItem) dependencies_.push_back({it.issue, item, kNoItem, EdgeKind::kIssue, kRecorded});
    }
    for (uint32_t e = 0; e < builder_.edges.size(); ++e) {
      const auto& edge = builder_.edges[e];
      dependencies_.push_back({edge.from, edge.to, e, edge.kind, edge.certainty});
    }
  }

  void Index() {
    parked_on_.assign(count_, 0);
    done_.assign(count_, false);
    out_begin_.assign(count_ + 1, 0);
    in_begin_.assign(count_ + 1, 0);
    for (const auto& dependency : dependencies_) {
      ++out_begin_[dependency.from + 1];
      ++in_begin_[dependency.to + 1];
      ++parked_on_[dependency.to];
    }
    for (uint32_t i = 0; i < count_; ++i) {
      out_begin_[i + 1] += out_begin_[i];
      in_begin_[i + 1] += in_begin_[i];
    }
    out_.resize(dependencies_.size());
    in_.resize(dependencies_.size());
    auto out_at = out_begin_;
    auto in_at = in_begin_;
    for (uint32_t d = 0; d < dependencies_.size(); ++d) {
      out_[out_at[dependencies_[d].from]++] = d;
      in_[in_at[dependencies_[d].to]++] = d;
    }
  }

  void Push(uint32_t item) { ready_.push({builder_.items[item].recorded_start, item}); }

  void Release(uint32_t dependency) {
    if (dependencies_[dependency].dropped) return;
    const uint32_t to = dependencies_[dependency].to;
    if (--parked_on_[to] == 0) Push(to);
  }

  void Drop(uint32_t dependency) {
    ++dropped_;
    const uint32_t to = dependencies_[dependency].to;
    dependencies_[dependency].dropped = true;
    if (--parked_on_[to] == 0) Push(to);
  }

  // Everything left waits for something left. Walks backwards until an item repeats: that is a cycle.
  void BreakCycle() {
    uint32_t start = EarliestStuck();
    if (searches_++ >= kMaxCycleSearches) {
      for (uint32_t i = in_begin_[start]; i < in_begin_[start + 1]; ++i) {
        const auto& dependency = dependencies_[in_[i]];
        if (!dependency.dropped && !done_[dependency.from]) Drop(in_[i]);
      }
      return;
    }
    std::vector<uint32_t> path;  // dependencies walked, newest last
    std::vector<uint32_t> seen_at(count_, kNoItem);
    uint32_t item = start;
    while (seen_at[item] == kNoItem) {
      seen_at[item] = static_cast<uint32_t>(path.size());
      path.push_back(OpenDependency(item));
      item = dependencies_[path.back()].from;
    }
    uint32_t weakest = path[seen_at[item]];
    for (uint32_t i = seen_at[item]; i < path.size(); ++i) {
      if (Rank(path[i]) < Rank(weakest)) weakest = path[i];
    }
    Drop(weakest);
  }

  // Program and stream order go last.
  std::pair<int, uint32_t> Rank(uint32_t dependency) const {
    const auto& d = dependencies_[dependency];
    const int weight = d.kind == EdgeKind::kPrev ? 9 : d.kind == EdgeKind::kIssue ? 8 : d.certainty;
    return {weight, dependency};
  }

  uint32_t OpenDependency(uint32_t item) const {
    for (uint32_t i = in_begin_[item]; i < in_begin_[item + 1]; ++i) {
      const auto& dependency = dependencies_[in_[i]];
      if (!dependency.dropped && !done_[dependency.from]) return in_[i];
    }
    return kNoItem;  // unreachable: the item is stuck
  }

  uint32_t EarliestStuck() {
    if (by_time_.empty()) {
      by_time_.resize(count_);
      for (uint32_t i = 0; i < count_; ++i) by_time_[i] = i;
      std::stable_sort(by_time_.begin(), by_time_.end(), [&](uint32_t a, uint32_t b) {
        return builder_.items[a].recorded_start < builder_.items[b].recorded_start;
      });
    }
    while (done_[by_time_[next_by_time_]]) ++next_by_time_;
    return by_time_[next_by_time_];
  }

  GraphBuilder& builder_;
  uint32_t count_;
  std::vector<Dependency> dependencies_;
  std::vector<uint32_t> out_begin_, out_, in_begin_, in_, parked_on_;
  std::vector<bool> done_;
  using Entry = std::pair<int64_t, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready_;
  std::vector<uint32_t> by_time_;
  uint32_t next_by_time_ = 0;
  uint32_t searches_ = 0, dropped_ = 0;
};

void PlaceItems(const GraphBuilder& builder, const std::vector<uint32_t>& order, const std::vector<uint32_t>& new_index,
                Graph& graph, Weights& weights) {
  const auto moved = [&](uint32_t id) { return id == kNoItem ? kNoItem : new_index[id]; };
  for (const uint32_t id : order) {
    const auto& item = builder.items[id];
    graph.kind.push_back(item.kind);
    graph.agent.push_back(item.agent);
    graph.row.push_back(item.row);
    graph.prev.push_back(moved(item.prev));
    graph.issue.push_back(moved(item.issue));
    graph.recorded_start.push_back(item.recorded_start);
    graph.recorded_end.push_back(item.recorded_end);
    weights.dur.push_back(item.dur);
    weights.prev_lag.push_back(item.prev_lag);
    weights.issue_lag.push_back(item.issue == kNoItem ? kNever : item.issue_lag);
    graph.agent_count = std::max(graph.agent_count, item.agent + 1);
  }
}

void PlaceEdges(std::vector<GraphBuilder::Edge> edges, const std::vector<uint32_t>& new_index, Graph& graph,
                Weights& weights) {
  for (auto& edge : edges) edge.from = new_index[edge.from], edge.to = new_index[edge.to];
  std::stable_sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) {
    if (a.to != b.to) return a.to < b.to;
    if (a.at_end != b.at_end) return a.at_end < b.at_end;
    return a.from < b.from;
  });
  graph.edge_begin.assign(graph.size() + 1, 0);
  for (const auto& edge : edges) {
    ++graph.edge_begin[edge.to + 1];
    graph.edge_from.push_back(edge.from);
    graph.edge_at_end.push_back(edge.at_end ? 1 : 0);
    graph.edge_kind.push_back(edge.kind);
    graph.edge_certainty.push_back(edge.certainty);
    weights.edge_lag.push_back(edge.lag);
  }
  for (uint32_t i = 0; i < graph.size(); ++i) graph.edge_begin[i + 1] += graph.edge_begin[i];
}

}  // namespace

void GraphBuilder::Finish(Graph& graph, Weights& weights, std::vector<uint32_t>& new_index) {
  Orderer orderer(*this);
  const std::vector<uint32_t> order = orderer.Run();
  std::vector<bool> edge_dropped(edges.size(), false);
  for (const auto& dependency : orderer.dependencies()) {
    if (!dependency.dropped) continue;
    auto& item = items[dependency.to];
    if (dependency.kind == EdgeKind::kPrev && dependency.edge == kNoItem) {
      item.prev = kNoItem;
      item.prev_lag = item.recorded_start;
    } else if (dependency.edge == kNoItem) {
      item.issue = kNoItem;
    } else {
      edge_dropped[dependency.edge] = true;
    }
  }
  std::vector<Edge> kept;
  kept.reserve(edges.size());
  for (uint32_t e = 0; e < edges.size(); ++e) {
    if (!edge_dropped[e]) kept.push_back(edges[e]);
  }
  new_index.assign(items.size(), kNoItem);
  for (uint32_t i = 0; i < order.size(); ++i) new_index[order[i]] = i;
  graph = {};
  weights = {};
  PlaceItems(*this, order, new_index, graph, weights);
  PlaceEdges(std::move(kept), new_index, graph, weights);
  graph.dropped_edges = orderer.dropped();
}

}  // namespace warpscope::analysis::replay
