// Device-side and call edits of a WhatIf. Host spans: edit_host.cc.
#include "analysis/replay/edit.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "analysis/replay/edit_host.h"

namespace warpscope::analysis::replay {
namespace {

using model::kNone;

class Editor {
 public:
  Editor(const Model& model, const HostIndex& index, Changed& changed)
      : model_(model), graph_(model.graph), index_(index), changed_(changed), w_(changed.weights) {}

  void Run(const WhatIf& edits) {
    std::vector<WhatIf::Host> spans = edits.host_edits;
    for (const auto& call : edits.call_edits) EditCall(call, spans);
    EditHost(model_, index_, spans, changed_);
    for (const auto& gpu : edits.gpu_edits) EditGpu(gpu);
    for (const auto& merge : edits.merges) Merge(merge);
    MoveLanes();
    if (edits.host_speed_share > 0) NormaliseHost(edits.host_speed_share);
  }

 private:
  uint32_t GpuItem(uint32_t row) const { return row < model_.item_of_gpu.size() ? model_.item_of_gpu[row] : kNoItem; }

  // The item of the outermost call around a host row.
  uint32_t CallItem(uint32_t row) const {
    const auto& host = model_.trace->host;
    while (row < model_.item_of_call.size()) {
      if (model_.item_of_call[row] != kNoItem) return model_.item_of_call[row];
      const bool call =
          host.kind[row] == model::HostKind::kRuntimeCall || host.kind[row] == model::HostKind::kDriverCall;
      if (!call || host.parent[row] == kNone) break;
      row = host.parent[row];
    }
    return kNoItem;
  }
  uint32_t CallOfGpu(uint32_t row) const {
    const uint32_t call = model_.trace->gpu.call[row];
    return call == kNone ? kNoItem : CallItem(call);
  }

  void DisableEdges(uint32_t item, bool at_end) {
    for (uint32_t e = graph_.edge_begin[item]; e < graph_.edge_begin[item + 1]; ++e) {
      if ((graph_.edge_at_end[e] != 0) == at_end) w_.edge_lag[e] = kNever;
    }
  }

  // What identity weights hold beyond the constraints means nothing once the item itself is changed.
  void ForgetResidual(uint32_t item) {
    if (!w_.residual.empty()) w_.residual[item] = 0;
  }

  void DropWait(uint32_t item) {
    ForgetResidual(item);
    if (Waits(model_.call_class[item])) {
      const auto cost = model_.parameters.call_cost_ns.find(model_.trace->host.name[graph_.row[item]]);
      const int64_t bare = cost == model_.parameters.call_cost_ns.end() ? kDefaultSyncCostNs : cost->second;
      w_.dur[item] = std::min(w_.dur[item], 3 * bare);
    }
    KeepOrder(item);
    DisableEdges(item, true);
    if (model_.wait_item[item] != kNoItem) DisableEdges(model_.wait_item[item], true);
    NoWakeUp(item);
  }

  // What only this wait kept in order across streams stays so: the host goes on, the device's work waits as it did.
  void KeepOrder(uint32_t item) {
    for (uint32_t e = graph_.edge_begin[item]; e < graph_.edge_begin[item + 1]; ++e) {
      if (graph_.edge_kind[e] != EdgeKind::kSyncTarget) continue;
      const auto orders = index_.orders_behind.find(graph_.edge_from[e]);
      if (orders == index_.orders_behind.end()) continue;
      for (const uint32_t order : orders->second) w_.edge_lag[order] = 0;
    }
  }

  // The first launches after a wait are slow; without it they cost what launches of that name usually do.
  void NoWakeUp(uint32_t item) {
    const auto& items = index_.items_of_agent[graph_.agent[item]];
    int launches = 0;
    for (uint32_t p = index_.position[item] + 1; p < items.size() && launches < kWakeUpLaunches; ++p) {
      const CallClass call = model_.call_class[items[p]];
      if (Waits(call) || model_.wait_item[items[p]] != kNoItem) return;
      if (!Issues(call)) continue;
      ++launches;
      const auto usual = model_.parameters.call_cost_ns.find(model_.trace->host.name[graph_.row[items[p]]]);
      const int64_t recorded = model_.structural.dur[items[p]];
      if (usual == model_.parameters.call_cost_ns.end() || recorded <= usual->second) continue;
      const double share = static_cast<double>(usual->second) / static_cast<double>(recorded);
      w_.dur[items[p]] =
          std::min(w_.dur[items[p]], static_cast<int64_t>(share * static_cast<double>(w_.dur[items[p]])));
    }
  }

  void EditCall(const WhatIf::Call& edit, std::vector<WhatIf::Host>& spans) {
    const uint32_t item = CallItem(edit.row);
    if (item == kNoItem) {  // a blocking system call or any other host row: its time is host work here
      const auto& host = model_.trace->host;
      if (edit.row >= host.size()) return;
      spans.push_back(
          {host.thread[edit.row], host.start_ns[edit.row], host.end_ns(edit.row), WhatIf::Host::kScale, 0.0, 1});
      return;
    }
    DropWait(item);
    if (edit.kind == WhatIf::Call::kRemove) w_.dur[item] = 0;
  }

  // A removed item is passed through: it ends when its predecessor did, so what waits for it waits for that.
  void PassThrough(uint32_t item) {
    ForgetResidual(item);
    w_.dur[item] = 0;
    w_.prev_lag[item] = 0;
    w_.issue_lag[item] = kNever;
    DisableEdges(item, false);
  }

  void EditGpu(const WhatIf::Gpu& edit) {
    const uint32_t item = GpuItem(edit.row);
    if (item == kNoItem || graph_.kind[item] != ItemKind::kGpu) return;
    switch (edit.kind) {
      case WhatIf::Gpu::kDuration: w_.dur[item] = std::max<int64_t>(0, edit.value); return;
      case WhatIf::Gpu::kLane: lanes_[item] = static_cast<uint32_t>(edit.value); return;
      case WhatIf::Gpu::kRemove: break;
    }
    PassThrough(item);
    const uint32_t call = CallOfGpu(edit.row);
    if (call == kNoItem || ++removed_[call] < index_.rows_of_call[call]) return;
    w_.dur[call] = 0;
    if (model_.wait_item[call] != kNoItem) DisableEdges(model_.wait_item[call], true);
  }

  void NeedOrder() {
    if (changed_.prev.empty()) changed_.prev = graph_.prev;
    if (changed_.issue.empty()) changed_.issue = graph_.issue;
  }

  // The calls after the first vanish, and the host work between two of them unless something else is issued there.
  void RemoveBetween(uint32_t before, uint32_t call) {
    ForgetResidual(call);
    w_.dur[call] = 0;
    const bool together = before != kNoItem && graph_.agent[before] == graph_.agent[call] && before < call;
    if (graph_.prev[call] != kNoItem) w_.prev_lag[call] = 0;
    if (!together) return;
    const auto& items = index_.items_of_agent[graph_.agent[call]];
    const uint32_t begin = index_.position[before] + 1, end = index_.position[call];
    for (uint32_t p = begin; p < end; ++p) {
      const CallClass between = model_.call_class[items[p]];
      if (Issues(between) || Waits(between) || between == CallClass::kMarker) return;
    }
    for (uint32_t p = begin; p < end; ++p) w_.dur[items[p]] = w_.prev_lag[items[p]] = 0;
  }

  void Merge(const WhatIf::Merge& merge) {
    std::vector<uint32_t> items;
    for (const uint32_t row : merge.rows) {
      const uint32_t item = GpuItem(row);
      if (item != kNoItem && graph_.kind[item] == ItemKind::kGpu) items.push_back(item);
    }
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
    if (items.empty()) return;
    NeedOrder();
    const uint32_t first_call = CallOfGpu(graph_.row[items[0]]);
    if (first_call != kNoItem) w_.dur[first_call] = merge.call_cost_ns;
    if (!merge.fused_dur_ns) {
      const auto graph = static_cast<int>(UnitKind::kGraph);
      w_.prev_lag[items[0]] = std::max(w_.prev_lag[items[0]], model_.parameters.stream_gap_ns[graph][graph]);
    }
    uint32_t last_call = first_call;
    for (size_t k = 1; k < items.size(); ++k) {
      const uint32_t call = CallOfGpu(graph_.row[items[k]]);
      if (call != kNoItem && call != last_call && call != first_call) RemoveBetween(last_call, call);
      if (call != kNoItem) last_call = call;
      ForgetResidual(items[k]);
      if (merge.fused_dur_ns) {
        PassThrough(items[k]);
        continue;
      }
      if (first_call != kNoItem && first_call < items[k] && changed_.issue[items[k]] != kNoItem) {
        changed_.issue[items[k]] = first_call;
      }
      if (graph_.prev[items[k]] == items[k - 1]) w_.prev_lag[items[k]] = merge.node_gap_ns;
    }
    if (merge.fused_dur_ns) w_.dur[items[0]] = *merge.fused_dur_ns;
  }

  // Moved items leave their stream: followers hang on what was before them, nobody waits for them. A moved copy still
  // shares its direction's engine with the other copies, moved or not.
  void MoveLanes() {
    if (lanes_.empty()) return;
    NeedOrder();
    std::vector<std::pair<uint32_t, uint32_t>> moved(lanes_.begin(), lanes_.end());
    std::sort(moved.begin(), moved.end());
    std::unordered_map<uint32_t, uint32_t> last_of_lane;
    for (const auto& [item, lane] : moved) {
      const auto last = last_of_lane.find(lane);
      ForgetResidual(item);
      changed_.prev[item] = last == last_of_lane.end() ? kNoItem : last->second;
      w_.prev_lag[item] = last == last_of_lane.end() ? 0 : kDefaultStreamGapNs;
      for (uint32_t e = graph_.edge_begin[item]; e < graph_.edge_begin[item + 1]; ++e) {
        if (graph_.edge_at_end[e] == 0) w_.edge_lag[e] = graph_.edge_kind[e] == EdgeKind::kEngine ? 0 : kNever;
      }
      last_of_lane[lane] = item;
    }
    for (uint32_t i = 0; i < graph_.size(); ++i) {
      if (!lanes_.contains(i)) {
        while (changed_.prev[i] != kNoItem && lanes_.contains(changed_.prev[i]))
          changed_.prev[i] = graph_.prev[changed_.prev[i]];
        if (changed_.prev[i] == kNoItem && graph_.prev[i] != kNoItem) w_.prev_lag[i] = 0;
      }
      for (uint32_t e = graph_.edge_begin[i]; e < graph_.edge_begin[i + 1]; ++e) {
        if (!lanes_.contains(graph_.edge_from[e])) continue;
        w_.edge_lag[e] = graph_.edge_kind[e] == EdgeKind::kEngine ? 0 : kNever;
      }
    }
    ShareMemory();
  }

  // Copies that now run beside the kernels use the device's memory with them: the kernels take longer for as long as
  // that lasts, the copies keep the speed of their link.
  void ShareMemory() {
    const auto kind = [&](uint32_t item) { return model_.trace->gpu.kind[graph_.row[item]]; };
    double copies_ns = 0, kernels_ns = 0;
    std::vector<uint32_t> kernels;
    for (uint32_t i = 0; i < graph_.size(); ++i) {
      if (graph_.kind[i] != ItemKind::kGpu) continue;
      if (lanes_.contains(i)) {
        copies_ns += kind(i) == model::GpuKind::kCopy ? static_cast<double>(w_.dur[i]) : 0;
      } else if (kind(i) == model::GpuKind::kKernel) {
        kernels_ns += static_cast<double>(w_.dur[i]);
        kernels.push_back(i);
      }
    }
    if (kernels_ns <= 0) return;
    const double longer = kSlowerBesideCopies * std::min(1.0, copies_ns / kernels_ns);
    for (const uint32_t i : kernels) w_.dur[i] += std::llround(longer * static_cast<double>(w_.dur[i]));
  }

  void NormaliseHost(double share) {
    const double speed = model_.parameters.host_speed;
    if (speed <= kSlowHost) return;
    const double factor = 1.0 / (1.0 + share * (speed - 1.0));
    for (uint32_t i = 0; i < graph_.size(); ++i) {
      if (graph_.kind[i] != ItemKind::kHostCall) continue;
      w_.dur[i] = static_cast<int64_t>(factor * static_cast<double>(w_.dur[i]));
      if (graph_.prev[i] != kNoItem && w_.prev_lag[i] > 0) {
        w_.prev_lag[i] = static_cast<int64_t>(factor * static_cast<double>(w_.prev_lag[i]));
      }
    }
  }

  static constexpr double kSlowHost = 1.2;
  static constexpr int kWakeUpLaunches = 3;

  const Model& model_;
  const Graph& graph_;
  const HostIndex& index_;
  Changed& changed_;
  Weights& w_;
  std::unordered_map<uint32_t, uint32_t> removed_;  // call item -> device rows removed
  std::unordered_map<uint32_t, uint32_t> lanes_;    // item -> lane
};

}  // namespace

HostIndex::HostIndex(const Model& model) {
  const Graph& graph = model.graph;
  agent_of_thread.assign(model.trace->threads.size(), kNone);
  position.assign(graph.size(), 0);
  rows_of_call.assign(graph.size(), 0);
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const bool host = graph.kind[i] == ItemKind::kHostCall || graph.kind[i] == ItemKind::kMarker;
    if (!host) continue;
    if (graph.agent[i] >= items_of_agent.size()) items_of_agent.resize(graph.agent[i] + 1);
    position[i] = static_cast<uint32_t>(items_of_agent[graph.agent[i]].size());
    items_of_agent[graph.agent[i]].push_back(i);
    if (model.thread[i] != kNone) agent_of_thread[model.thread[i]] = graph.agent[i];
  }
  for (uint32_t e = 0; e < graph.edge_from.size(); ++e) {
    if (graph.edge_kind[e] == EdgeKind::kHostOrder) orders_behind[graph.edge_from[e]].push_back(e);
  }
  for (uint32_t row = 0; row < model.item_of_gpu.size(); ++row) {
    if (model.item_of_gpu[row] == kNoItem) continue;
    uint32_t call = model.trace->gpu.call[row];
    while (call != kNone && model.item_of_call[call] == kNoItem) call = model.trace->host.parent[call];
    if (call != kNone) ++rows_of_call[model.item_of_call[call]];
  }
}

void Apply(const Model& model, const HostIndex& index, const WhatIf& edits, Changed& changed) {
  Editor(model, index, changed).Run(edits);
}

}  // namespace warpscope::analysis::replay
