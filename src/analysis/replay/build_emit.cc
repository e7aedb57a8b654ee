// From the draft to items and edges.
#include <algorithm>
#include <set>

#include "analysis/replay/build.h"

namespace warpscope::analysis::replay {
namespace {

using model::kNone;

constexpr int64_t kFarBehindNs = 100'000;

class Emitter {
 public:
  Emitter(Draft& draft, Model& model) : draft_(draft), model_(model), p_(draft.parameters) {}

  void Run() {
    for (uint32_t i = 0; i < draft_.calls.size(); ++i) AddCall(i);
    for (uint32_t s = 0; s < draft_.stream_units.size(); ++s) AddStream(s);
    for (Call& call : draft_.calls) AddWaits(call);
    for (const auto& event : draft_.events) {
      builder_.AddEdge({Tail(event.from), Head(event.to), event.lag, EdgeKind::kEvent, event.certainty, false});
      if (event.certainty == kGuessed) ++model_.guessed_edges;
    }
    for (const HostOrder& order : FindHostOrder(draft_))
      builder_.AddEdge({Tail(order.from), Head(order.to), kNever, EdgeKind::kHostOrder, kGuessed, false});
    AddCopyEngines();
    std::vector<uint32_t> new_index;
    builder_.Finish(model_.graph, model_.structural, new_index);
    FillColumns(new_index);
  }

 private:
  uint32_t Tail(uint32_t unit) const { return draft_.units[unit].tail_item; }
  uint32_t Head(uint32_t unit) const { return draft_.units[unit].first_item; }

  int64_t MedianCost(const Call& call, int64_t fallback) const {
    const auto it = p_.call_cost_ns.find(draft_.trace->host.name[call.row]);
    return it == p_.call_cost_ns.end() ? fallback : it->second;
  }

  int64_t CostOf(const Call& call) const {
    const int64_t dur = call.end - call.start;
    if (call.row == kNone) return 0;
    if (call.queue_full) return std::min(dur, MedianCost(call, dur));
    bool waited = false;
    for (const uint32_t unit : call.targets) waited |= draft_.units[unit].end > call.start;
    return waited ? std::min(dur, 3 * MedianCost(call, kDefaultSyncCostNs)) : dur;
  }

  void AddCall(uint32_t index) {
    Call& call = draft_.calls[index];
    const bool first = index == 0 || draft_.calls[index - 1].agent != call.agent;
    const Call* before = first ? nullptr : &draft_.calls[index - 1];
    GraphBuilder::Item item;
    item.kind = call.call_class == CallClass::kMarker ? ItemKind::kMarker : ItemKind::kHostCall;
    item.agent = call.agent;
    item.row = call.row;
    item.recorded_start = call.start;
    item.recorded_end = call.end;
    item.dur = CostOf(call);
    item.prev = before ? (before->wait_item != kNoItem ? before->wait_item : before->item) : kNoItem;
    item.prev_lag = before ? call.start - before->end : call.start;
    if (call.blocks) {
      const Unit& unit = draft_.units[call.unit_begin];
      item.dur = std::clamp<int64_t>(p_.copy_issue_ns[static_cast<int>(unit.kind)], 0, unit.start - call.start);
      item.recorded_end = call.start + item.dur;
    }
    call.item = builder_.Add(item);
    if (call.call_class == CallClass::kMarker) markers_.push_back(call.item);
    if (!call.blocks) return;
    GraphBuilder::Item wait = item;
    wait.kind = ItemKind::kHostWait;
    wait.recorded_start = item.recorded_end;
    wait.recorded_end = call.end;
    wait.dur = 0;
    wait.prev = call.item;
    wait.prev_lag = 0;
    call.wait_item = builder_.Add(wait);
  }

  // What is waited for returns `lag` after its end: the class median, but of a blocking copy its own (staging).
  void AddWaits(Call& call) {
    if (call.blocks) {
      const Unit& unit = draft_.units[call.unit_begin];
      builder_.AddEdge({unit.tail_item, call.wait_item, call.end - unit.end, EdgeKind::kOwnCopy, kRecorded, true});
      return;
    }
    const int64_t lag = call.end - call.start >= kLongWaitNs ? p_.return_long_ns : p_.return_short_ns;
    for (const uint32_t unit : call.targets) {
      builder_.AddEdge({Tail(unit), call.item, lag, EdgeKind::kSyncTarget, call.target_certainty, true});
    }
  }

  int64_t GapBetween(const Unit& previous, const Unit& unit) const {
    const auto& gpu = draft_.trace->gpu;
    const uint64_t pair =
        (uint64_t{gpu.name[draft_.unit_rows[previous.row_end - 1]]} << 32) | gpu.name[draft_.unit_rows[unit.row_begin]];
    const auto it = p_.pair_gap_ns.find(pair);
    if (it != p_.pair_gap_ns.end()) return it->second;
    return p_.stream_gap_ns[static_cast<int>(previous.kind)][static_cast<int>(unit.kind)];
  }

  void AddStream(uint32_t stream) {
    const auto& units = draft_.stream_units[stream];
    uint32_t previous = kNoItem;
    for (size_t k = 0; k < units.size(); ++k) {
      AddUnit(draft_.units[units[k]], previous == kNoItem ? nullptr : &draft_.units[previous], stream);
      // Stream order follows the item that ends last; programmatic launches overlap their predecessor.
      previous = units[k];
      const Unit& unit = draft_.units[units[k]];
      if (unit.call == kNoItem || k < kQueueSlots || IsHip()) continue;
      auto& call = builder_.items[draft_.calls[unit.call].item];
      call.issue = draft_.units[units[k - kQueueSlots]].tail_item;
      call.issue_lag = 0;
    }
  }

  bool IsHip() const {
    return !draft_.trace->sources.empty() &&
           std::any_of(draft_.trace->sources.begin(), draft_.trace->sources.end(),
                       [](const model::Source& source) { return source.vendor == model::Vendor::kAmd; });
  }

  void AddUnit(Unit& unit, const Unit* previous, uint32_t stream) {
    GraphBuilder::Item item;
    item.kind = unit.pending ? ItemKind::kGpuPending : ItemKind::kGpu;
    item.agent = draft_.host_agents + stream;
    item.prev = previous ? previous->tail_item : kNoItem;
    item.prev_lag = previous ? GapBetween(*previous, unit) : kNever;
    if (unit.call != kNoItem) {
      const Call& call = draft_.calls[unit.call];
      item.issue = call.item;
      item.issue_lag =
          call.blocks
              ? std::max<int64_t>(0, p_.copy_issue_ns[static_cast<int>(unit.kind)] - builder_.items[call.item].dur)
              : p_.launch_lag_ns[static_cast<int>(unit.kind)];
    } else {
      // Issued before the window, or by nobody known: keeps its recorded place.
      item.prev_lag = previous && !unit.pending ? unit.start - previous->end : unit.start;
      if (unit.pending) item.prev = kNoItem;
    }
    if (item.prev == kNoItem && item.issue != kNoItem) item.prev_lag = StartsBehind(unit) ? unit.start : 0;
    if (unit.row_end - unit.row_begin == 1) {
      AddRow(item, unit, unit.row_begin);
      return;
    }
    AddGraph(item, unit);
  }

  // The first unit of a stream that starts far behind its launch, with nothing recorded that held it up: the stream was
  // busy with work from before the recording, which keeps its recorded end.
  bool StartsBehind(const Unit& unit) const {
    const Call& call = draft_.calls[unit.call];
    if (call.blocks || unit.start - call.end < kFarBehindNs) return false;
    const auto index = static_cast<uint32_t>(&unit - draft_.units.data());
    return std::none_of(draft_.events.begin(), draft_.events.end(),
                        [&](const Draft::Event& event) { return event.to == index; });
  }

  void AddRow(GraphBuilder::Item item, Unit& unit, uint32_t at) {
    const uint32_t row = draft_.unit_rows[at];
    item.row = row;
    item.recorded_start = draft_.At(draft_.trace->gpu.start_ns[row]);
    item.recorded_end = draft_.At(draft_.trace->gpu.end_ns(row));
    item.dur = draft_.trace->gpu.dur_ns[row];
    unit.first_item = unit.tail_item = builder_.Add(item);
  }

  // Nodes hang on the node that ended last before they started, with the recorded distance; roots on the launch.
  void AddGraph(const GraphBuilder::Item& root, Unit& unit) {
    std::set<std::pair<int64_t, uint32_t>> ended;  // (end, item)
    std::set<uint32_t> leaves;
    for (uint32_t at = unit.row_begin; at < unit.row_end; ++at) {
      const uint32_t row = draft_.unit_rows[at];
      GraphBuilder::Item item = root;
      const int64_t start = draft_.At(draft_.trace->gpu.start_ns[row]);
      auto anchor = ended.upper_bound({start, UINT32_MAX});
      if (anchor != ended.begin()) {
        --anchor;
        item.prev = anchor->second;
        item.prev_lag = start - anchor->first;
        item.issue = kNoItem;
        leaves.erase(anchor->second);
      } else {
        if (item.prev != kNoItem) item.prev_lag += start - unit.start;
        item.issue_lag += start - unit.start;
      }
      item.row = row;
      item.recorded_start = start;
      item.dur = draft_.trace->gpu.dur_ns[row];
      item.recorded_end = start + item.dur;
      const uint32_t id = builder_.Add(item);
      if (at == unit.row_begin) unit.first_item = id;
      ended.insert({item.recorded_end, id});
      leaves.insert(id);
    }
    unit.tail_item = *leaves.begin();
    if (leaves.size() == 1) return;
    GraphBuilder::Item join;
    join.kind = ItemKind::kGpuJoin;
    join.agent = root.agent;
    join.recorded_start = join.recorded_end = unit.end;
    join.prev = *leaves.begin();
    unit.tail_item = builder_.Add(join);
    for (auto leaf = std::next(leaves.begin()); leaf != leaves.end(); ++leaf) {
      builder_.AddEdge({*leaf, unit.tail_item, 0, EdgeKind::kGraphNode, kRecorded, false});
    }
  }

  // One copy at a time per device and direction, as far as the recording agrees. Within one stream its order says it
  // already: the edge sleeps (kNever) until an edit moves one of the two copies off the stream.
  void AddCopyEngines() {
    std::map<std::pair<uint32_t, UnitKind>, std::vector<uint32_t>> engines;
    for (uint32_t u = 0; u < draft_.units.size(); ++u) {
      const Unit& unit = draft_.units[u];
      if (unit.kind != UnitKind::kHostToDevice && unit.kind != UnitKind::kDeviceToHost) continue;
      engines[{draft_.trace->streams[unit.stream].device, unit.kind}].push_back(u);
    }
    for (auto& [engine, units] : engines) {
      std::stable_sort(units.begin(), units.end(),
                       [&](uint32_t a, uint32_t b) { return draft_.units[a].start < draft_.units[b].start; });
      for (size_t i = 1; i < units.size(); ++i) {
        const Unit& before = draft_.units[units[i - 1]];
        const Unit& unit = draft_.units[units[i]];
        if (unit.start < before.end || unit.pending) continue;
        const int64_t lag = before.stream == unit.stream ? kNever : 0;
        builder_.AddEdge({before.tail_item, unit.first_item, lag, EdgeKind::kEngine, kLikely, false});
      }
    }
  }

  void FillColumns(const std::vector<uint32_t>& new_index);

  Draft& draft_;
  Model& model_;
  const Parameters& p_;
  GraphBuilder builder_;
  std::vector<uint32_t> markers_;
};

void Emitter::FillColumns(const std::vector<uint32_t>& new_index) {
  const Graph& graph = model_.graph;
  model_.call_class.assign(graph.size(), CallClass::kOther);
  model_.thread.assign(graph.size(), kNone);
  model_.gap_thread.assign(graph.size(), kNone);
  model_.counts.assign(graph.size(), {});
  model_.step.assign(graph.size(), 0);
  model_.wait_item.assign(graph.size(), kNoItem);
  model_.item_of_call.assign(draft_.trace->host.size(), kNoItem);
  model_.item_of_gpu.assign(draft_.trace->gpu.size(), kNoItem);
  for (uint32_t i = 0; i < draft_.calls.size(); ++i) {
    const Call& call = draft_.calls[i];
    const uint32_t item = new_index[call.item];
    model_.call_class[item] = call.call_class;
    model_.thread[item] = call.thread;
    const bool first = i == 0 || draft_.calls[i - 1].agent != call.agent;
    model_.gap_thread[item] = first ? call.thread : draft_.calls[i - 1].thread;
    if (call.row != kNone) model_.item_of_call[call.row] = item;
    if (call.wait_item != kNoItem) {
      model_.wait_item[item] = new_index[call.wait_item];
      model_.call_class[new_index[call.wait_item]] = call.call_class;
      model_.thread[new_index[call.wait_item]] = model_.gap_thread[new_index[call.wait_item]] = call.thread;
    }
  }
  for (uint32_t item = 0; item < graph.size(); ++item) {
    const bool device = graph.kind[item] == ItemKind::kGpu || graph.kind[item] == ItemKind::kGpuPending;
    if (device && graph.row[item] != kNoItem) model_.item_of_gpu[graph.row[item]] = item;
  }
  const auto step_at = [&](int64_t time) {
    const auto it = std::upper_bound(draft_.step_begins.begin(), draft_.step_begins.end(), time);
    return static_cast<uint32_t>(it == draft_.step_begins.begin() ? 0 : it - draft_.step_begins.begin() - 1);
  };
  for (const Unit& unit : draft_.units) {
    const uint32_t step = unit.call == kNoItem ? step_at(unit.start) : step_at(draft_.calls[unit.call].start);
    for (uint32_t at = unit.row_begin; at < unit.row_end; ++at) {
      model_.step[model_.item_of_gpu[draft_.unit_rows[at]]] = step;
    }
  }
  for (const uint32_t marker : markers_) model_.markers.push_back(new_index[marker]);
  CountRows(draft_, new_index, model_);
}

}  // namespace

void Emit(Draft& draft, Model& model) { Emitter(draft, model).Run(); }

}  // namespace warpscope::analysis::replay
