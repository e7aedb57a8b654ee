#include "analysis/replay/path.h"

#include <algorithm>

#include "analysis/replay/replay.h"

namespace warpscope::analysis::replay {
namespace {

using PathItem = Simulator::PathItem;
using model::kNone;

bool IsHost(ItemKind kind) {
  return kind == ItemKind::kHostCall || kind == ItemKind::kHostWait || kind == ItemKind::kMarker;
}

class PathWalker {
 public:
  PathWalker(const Model& model, const View& view, const std::vector<int64_t>& end)
      : model_(model), graph_(model.graph), view_(view), end_(end) {}

  std::vector<PathItem> Walk(uint32_t item) {
    while (item != kNoItem) {
      const Cause cause = CauseOf(view_, end_, item);
      if (IsHost(graph_.kind[item])) {
        AddHost(item, cause);
      } else {
        AddDevice(item, cause);
      }
      item = cause.from;
    }
    std::reverse(path_.begin(), path_.end());
    return std::move(path_);
  }

 private:
  void Add(PathItem::Kind kind, uint32_t item, uint32_t row, int64_t recorded_start, int64_t dur) {
    if (dur <= 0) return;
    path_.push_back(
        {kind, row, IsHost(graph_.kind[item]) ? model_.thread[item] : kNone, recorded_start + model_.origin_ns, dur});
  }

  uint32_t RowOf(uint32_t item) const { return graph_.row[item] == kNoItem ? kNone : graph_.row[item]; }

  void AddHost(uint32_t item, const Cause& cause) {
    if (cause.at_end) {
      Add(PathItem::kHostWait, item, RowOf(item), graph_.recorded_start[item], std::max<int64_t>(1, cause.lag));
      return;
    }
    const auto kind = graph_.kind[item] == ItemKind::kHostWait ? PathItem::kHostWait : PathItem::kHostCall;
    Add(kind, item, RowOf(item), graph_.recorded_start[item], view_.weights->dur[item]);
    const int64_t gap = cause.lag;
    Add(PathItem::kHostGap, item, kNone, graph_.recorded_start[item] - gap, gap);
  }

  void AddDevice(uint32_t item, const Cause& cause) {
    Add(PathItem::kGpu, item, RowOf(item), graph_.recorded_start[item], view_.weights->dur[item]);
    const int64_t lag = cause.from == kNoItem ? 0 : cause.lag;
    Add(PathItem::kLaunchLatency, item, kNone, graph_.recorded_start[item] - lag, lag);
  }

  const Model& model_;
  const Graph& graph_;
  const View& view_;
  const std::vector<int64_t>& end_;
  std::vector<PathItem> path_;
};

}  // namespace

std::vector<PathItem> CriticalPathOf(const Model& model, const Weights& weights) {
  const View view{.graph = &model.graph, .weights = &weights};
  std::vector<int64_t> end;
  Run(view, end);
  uint32_t last = kNoItem;
  for (uint32_t i = 0; i < model.graph.size(); ++i) {
    const bool device = model.graph.kind[i] == ItemKind::kGpu;
    if (device && (last == kNoItem || end[i] >= end[last])) last = i;
  }
  return PathWalker(model, view, end).Walk(last);
}

}  // namespace warpscope::analysis::replay
