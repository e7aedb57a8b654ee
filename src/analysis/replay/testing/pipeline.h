// Pipeline: programs of threads and streams for tests of the replay, built straight as graphs. Header-only; never
// linked into the product. Every item of the graph has certain edges unless said otherwise; recorded times are those of
// the first replay, so a Pipeline is a recording of itself.
// [one thread]
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/replay/graph.h"
#include "analysis/replay/replay.h"

namespace warpscope::analysis::replay::testing {

struct PipelineOptions {
  int64_t gap = 0;         // between queued items of a stream
  int64_t latency = 0;     // end of the call -> start
  int64_t return_lag = 0;  // end of the awaited item -> return
  uint32_t queue_slots = UINT32_MAX;
};

class Pipeline {
 public:
  explicit Pipeline(const PipelineOptions& options) : options_(options) {}

  uint32_t Thread() { return NewAgent(); }
  uint32_t Stream() { return NewAgent(); }

  // Host work of `cost` (gap and call together) that waits for nothing.
  uint32_t Host(uint32_t thread, int64_t cost) { return Append(ItemKind::kHostCall, thread, cost, 0); }

  // Host work, then an item on a stream. Returns the device item.
  uint32_t Launch(uint32_t thread, int64_t host, uint32_t stream, int64_t dur) {
    const uint32_t call = Host(thread, host);
    const auto& queue = items_of_[stream];
    if (queue.size() >= options_.queue_slots) {
      builder_.items[call].issue = queue[queue.size() - options_.queue_slots];
      builder_.items[call].issue_lag = 0;
    }
    return Issue(call, stream, dur);
  }
  // An item that an existing call issues.
  uint32_t Issue(uint32_t call, uint32_t stream, int64_t dur) {
    const uint32_t item = Append(ItemKind::kGpu, stream, dur, options_.gap);
    builder_.items[item].issue = call;
    builder_.items[item].issue_lag = options_.latency;
    return item;
  }

  // Host work, then a wait for everything on the streams.
  uint32_t Sync(uint32_t thread, int64_t host, const std::vector<uint32_t>& streams) {
    const uint32_t call = Host(thread, host);
    for (const uint32_t stream : streams) {
      if (!items_of_[stream].empty()) WaitAtEnd(call, items_of_[stream].back(), options_.return_lag);
    }
    return call;
  }
  void WaitAtEnd(uint32_t call, uint32_t item, int64_t lag) {
    builder_.AddEdge({item, call, lag, EdgeKind::kSyncTarget, kRecorded, true});
  }
  void WaitAtStart(uint32_t item, uint32_t from, int64_t lag, EdgeKind kind = EdgeKind::kEvent,
                   Certainty certainty = kRecorded) {
    builder_.AddEdge({from, item, lag, kind, certainty, false});
  }
  uint32_t Last(uint32_t agent) const { return items_of_[agent].empty() ? kNoItem : items_of_[agent].back(); }

  GraphBuilder& builder() { return builder_; }

  // Replays and returns the last end. Afterwards graph, weights, ends and the new place of each id can be read.
  int64_t Total() {
    builder_.Finish(graph, weights, place);
    Run({.graph = &graph, .weights = &weights}, end);
    return end.empty() ? 0 : *std::max_element(end.begin(), end.end());
  }
  int64_t EndOf(uint32_t id) const { return end[place[id]]; }

  Graph graph;
  Weights weights;
  std::vector<uint32_t> place;
  std::vector<int64_t> end;

 private:
  uint32_t NewAgent() {
    items_of_.emplace_back();
    return static_cast<uint32_t>(items_of_.size() - 1);
  }

  uint32_t Append(ItemKind kind, uint32_t agent, int64_t dur, int64_t lag) {
    GraphBuilder::Item item;
    item.kind = kind;
    item.agent = agent;
    item.dur = dur;
    item.prev = Last(agent);
    item.prev_lag = item.prev == kNoItem ? 0 : lag;
    item.recorded_start = item.recorded_end = clock_++;
    const uint32_t id = builder_.Add(item);
    items_of_[agent].push_back(id);
    return id;
  }

  PipelineOptions options_;
  GraphBuilder builder_;
  std::vector<std::vector<uint32_t>> items_of_;
  int64_t clock_ = 0;
};

}  // namespace warpscope::analysis::replay::testing
