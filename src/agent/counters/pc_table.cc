#include "agent/counters/pc_table.h"

#include <stdlib.h>
#include <string.h>

namespace warpscope::agent {

bool PcTable::Init() {
  pcs_ = static_cast<Pc*>(malloc(sizeof(Pc) * kMostPcs));
  counts_ = static_cast<Count*>(malloc(sizeof(Count) * kMostCounts));
  slots_ = static_cast<uint32_t*>(calloc(kSlots, sizeof(uint32_t)));
  return pcs_ != nullptr && counts_ != nullptr && slots_ != nullptr;
}

void PcTable::Free() {
  free(pcs_);
  free(counts_);
  free(slots_);
  pcs_ = nullptr;
  counts_ = nullptr;
  slots_ = nullptr;
  pc_count_ = count_count_ = 0;
}

void PcTable::Clear() {
  if (pc_count_ > 0) memset(slots_, 0, kSlots * sizeof(uint32_t));
  pc_count_ = count_count_ = 0;
}

bool PcTable::Add(uint32_t function, uint64_t offset, uint32_t reason, uint32_t samples) {
  if (count_count_ == kMostCounts) return false;
  const uint64_t mixed = (offset ^ uint64_t{function} << 32) * 0x9e3779b97f4a7c15ULL;
  uint32_t at = static_cast<uint32_t>(mixed >> 40) % kSlots;
  for (; slots_[at] != 0; at = (at + 1) % kSlots) {
    const Pc& pc = pcs_[slots_[at] - 1];
    if (pc.offset == offset && pc.function == function) break;
  }
  if (slots_[at] == 0) {
    if (pc_count_ == kMostPcs) return false;
    pcs_[pc_count_] = {offset, function, kNone};
    slots_[at] = ++pc_count_;
  }
  uint32_t* link = &pcs_[slots_[at] - 1].first;
  for (; *link != kNone; link = &counts_[*link].next) {
    Count& count = counts_[*link];
    if (count.reason != reason) continue;
    if (count.samples > UINT32_MAX - samples) return false;
    count.samples += samples;
    return true;
  }
  *link = count_count_;
  counts_[count_count_++] = {reason, samples, kNone};
  return true;
}

}  // namespace warpscope::agent
