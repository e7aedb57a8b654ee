// SourceBuilder::PlaceAsyncPairs(): spans of b and e events. They overlap each other and what their thread does, so
// they get threads of their own: as many of a process as run at once, each id with what it nests on one of them.
#include <algorithm>
#include <map>

#include "import/kineto/source_builder.h"

namespace warpscope::import::kineto {

namespace {

constexpr size_t kMostSlots = 64;  // beyond, spans share the last one and may overlap

}  // namespace

uint32_t SourceBuilder::AsyncThread(uint32_t lane, size_t slot) {
  LaneKey key = lanes_.rows()[lane];
  key.tid = kNoNumber;
  key.tid_text = trace_->strings.Intern("async " + std::to_string(slot + 1));
  const uint32_t own = lanes_.Intern(key);
  lane_thread_.resize(lanes_.size(), model::kNone);
  return ThreadOf(own);
}

void SourceBuilder::PlaceAsyncPairs() {
  struct Group {  // an outermost pair and those inside it
    size_t begin, end;
    int64_t start_ns, end_ns;
  };
  std::map<uint64_t, std::vector<size_t>> waiting;  // by id: pairs whose outermost one has not come yet
  std::vector<AsyncPair> pairs;
  std::vector<Group> groups;
  for (size_t i = 0; i < async_pairs_.size(); ++i) {
    auto& inside = waiting[async_pairs_[i].begin->async_id];
    inside.push_back(i);
    if (!async_pairs_[i].outermost) continue;
    groups.push_back(
        {pairs.size(), pairs.size() + inside.size(), async_pairs_[i].begin->host.start_ns, async_pairs_[i].end_ns});
    for (const size_t pair : inside) pairs.push_back(async_pairs_[pair]);
    inside.clear();
  }
  for (const auto& [id, inside] : waiting) {  // their outermost span never ended
    for (const size_t pair : inside) {
      const AsyncPair& row = async_pairs_[pair];
      groups.push_back({pairs.size(), pairs.size() + 1, row.begin->host.start_ns, row.end_ns});
      pairs.push_back(row);
    }
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.start_ns < b.start_ns; });
  std::map<std::pair<int64_t, model::StringId>, std::vector<int64_t>> busy_until;  // by process, then slot
  for (const Group& group : groups) {
    const uint32_t lane = pairs[group.begin].begin->host.lane;
    const LaneKey& key = lanes_.rows()[lane];
    auto& slots = busy_until[{key.pid, key.pid_text}];
    size_t slot = 0;
    while (slot < slots.size() && slot + 1 < kMostSlots && slots[slot] > group.start_ns) ++slot;
    if (slot == slots.size()) slots.push_back(INT64_MIN);
    slots[slot] = std::max(slots[slot], group.end_ns);
    const uint32_t thread = AsyncThread(lane, slot);
    for (size_t i = group.begin; i < group.end; ++i) AppendPair(*pairs[i].begin, pairs[i].end_ns, thread);
  }
  async_pairs_.clear();
}

}  // namespace warpscope::import::kineto
