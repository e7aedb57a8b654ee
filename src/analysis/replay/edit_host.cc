#include "analysis/replay/edit_host.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace warpscope::analysis::replay {
namespace {

using model::kNone;

constexpr int64_t kHandoverNs = 75'000;  // from a worker's queue to the consumer

// A stretch of one thread with the ratio that applies; of overlapping spans the smallest ratio counts once.
struct Stretch {
  uint32_t thread;
  int64_t begin, end;
  double ratio;
  uint32_t workers;  // 0: scaled in place
  uint32_t ticket;   // offloaded: which span
};

std::vector<Stretch> Disjoint(const std::vector<WhatIf::Host>& spans, int64_t origin, int64_t window_end) {
  struct Change {
    int64_t time;
    bool opens;
    uint32_t span;
  };
  std::map<uint32_t, std::vector<Change>> changes;
  for (uint32_t i = 0; i < spans.size(); ++i) {
    if (spans[i].end_ns <= spans[i].start_ns || spans[i].end_ns <= origin || spans[i].start_ns >= window_end) continue;
    changes[spans[i].thread].push_back({spans[i].start_ns - origin, true, i});
    changes[spans[i].thread].push_back({spans[i].end_ns - origin, false, i});
  }
  const auto ratio_of = [&](uint32_t i) { return spans[i].kind == WhatIf::Host::kOffload ? 0.0 : spans[i].ratio; };
  std::vector<Stretch> stretches;
  for (auto& [thread, list] : changes) {
    std::stable_sort(list.begin(), list.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
    std::set<std::tuple<double, bool, uint32_t>> open;  // scaled spans before offloaded ones of the same ratio
    int64_t since = 0;
    for (const Change& change : list) {
      if (!open.empty() && change.time > since) {
        const auto& [ratio, offloaded, span] = *open.begin();
        stretches.push_back(
            {thread, since, change.time, ratio, offloaded ? std::max(1U, spans[span].workers) : 0, span});
      }
      const std::tuple key{ratio_of(change.span), spans[change.span].kind == WhatIf::Host::kOffload, change.span};
      if (change.opens) {
        open.insert(key);
      } else {
        open.erase(key);
      }
      since = change.time;
    }
  }
  return stretches;
}

double Share(int64_t begin, int64_t end, const Stretch& stretch) {
  const int64_t both = std::min(end, stretch.end) - std::max(begin, stretch.begin);
  return both <= 0 || end <= begin ? 0.0 : static_cast<double>(both) / static_cast<double>(end - begin);
}

class HostEditor {
 public:
  HostEditor(const Model& model, const HostIndex& index, Changed& changed)
      : model_(model), graph_(model.graph), index_(index), changed_(changed) {}

  void Run(const std::vector<WhatIf::Host>& spans) {
    for (const Stretch& stretch : Disjoint(spans, model_.origin_ns, WindowEnd())) EditStretch(stretch);
    std::stable_sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) { return a.item < b.item; });
    for (size_t i = 0; i < kept_.size(); ++i) {
      const bool more = i + 1 < kept_.size() && kept_[i + 1].item == kept_[i].item;
      if (more) {
        kept_[i + 1].gap += kept_[i].gap - 1.0;
        kept_[i + 1].call += kept_[i].call - 1.0;
      } else {
        Write(kept_[i]);
      }
    }
    std::stable_sort(changed_.tickets.begin(), changed_.tickets.end(),
                     [](const WorkerTicket& a, const WorkerTicket& b) { return a.item < b.item; });
  }

 private:
  struct Kept {
    uint32_t item;
    double gap = 1.0, call = 1.0;  // shares that stay
  };

  int64_t WindowEnd() const { return model_.origin_ns + graph_.recorded_end[model_.markers.back()]; }

  int64_t GapBegin(uint32_t item) const {
    return graph_.prev[item] == kNoItem ? 0 : graph_.recorded_end[graph_.prev[item]];
  }

  void EditStretch(const Stretch& stretch) {
    if (stretch.thread >= index_.agent_of_thread.size()) return;
    const uint32_t agent = index_.agent_of_thread[stretch.thread];
    if (agent == kNone) return;
    const auto& items = index_.items_of_agent[agent];
    auto it = std::partition_point(items.begin(), items.end(),
                                   [&](uint32_t item) { return graph_.recorded_end[item] <= stretch.begin; });
    double moved_ns = 0;
    uint32_t consumer = kNoItem;
    for (; it != items.end() && GapBegin(*it) < stretch.end; ++it) {
      const uint32_t item = *it;
      Kept& kept = kept_.emplace_back(Kept{item});
      const bool own_gap = model_.thread[item] == stretch.thread || model_.gap_thread[item] == stretch.thread;
      const double gap = own_gap ? Share(GapBegin(item), graph_.recorded_start[item], stretch) : 0.0;
      const double call = model_.thread[item] == stretch.thread
                              ? Share(graph_.recorded_start[item], graph_.recorded_end[item], stretch)
                              : 0.0;
      kept.gap -= gap * (1.0 - stretch.ratio);
      kept.call -= call * (1.0 - stretch.ratio);
      moved_ns += gap * static_cast<double>(std::max<int64_t>(0, changed_.weights.prev_lag[item])) +
                  call * static_cast<double>(changed_.weights.dur[item]);
      consumer = item;
    }
    if (stretch.workers == 0 || consumer == kNoItem) return;
    const auto work = std::llround(moved_ns / stretch.workers);
    // Stretches of one span are one ticket.
    if (!changed_.tickets.empty() && last_ticket_ == stretch.ticket) {
      changed_.tickets.back().item = consumer;
      changed_.tickets.back().work_ns += work;
    } else {
      changed_.tickets.push_back({consumer, work, kHandoverNs});
    }
    last_ticket_ = stretch.ticket;
  }

  void Write(const Kept& kept) {
    const uint32_t item = kept.item;
    auto& gap = changed_.weights.prev_lag[item];
    if (graph_.prev[item] != kNoItem && gap > 0) gap = std::llround(std::max(0.0, kept.gap) * static_cast<double>(gap));
    auto& dur = changed_.weights.dur[item];
    dur = std::llround(std::max(0.0, kept.call) * static_cast<double>(dur));
  }

  const Model& model_;
  const Graph& graph_;
  const HostIndex& index_;
  Changed& changed_;
  std::vector<Kept> kept_;
  uint32_t last_ticket_ = kNoItem;
};

}  // namespace

void EditHost(const Model& model, const HostIndex& index, const std::vector<WhatIf::Host>& spans, Changed& changed) {
  if (spans.empty()) return;
  HostEditor(model, index, changed).Run(spans);
}

}  // namespace warpscope::analysis::replay
