// PcTable: samples per (function, offset, stall reason), added up until they are written to the stream.
// [one thread] the writer's. Memory is allocated once; a table that is full says so and is written out and emptied.
#pragma once

#include <cstdint>

#include "agent/encoder.h"

namespace warpscope::agent {

class PcTable {
 public:
  static constexpr uint32_t kMostPcs = 1 << 15, kMostCounts = 1 << 17;

  bool Init();
  void Free();
  // False: no room; write the table and add again.
  bool Add(uint32_t function, uint64_t offset, uint32_t reason, uint32_t samples);
  uint32_t size() const { return pc_count_; }

  // Every PC in the order of its first sample: take(function, offset, counts, count). Then the table is empty.
  template <typename Take>
  void TakeAll(Take take) {
    Encoder::StallCount counts[Encoder::kMostStallCounts];
    for (uint32_t i = 0; i < pc_count_; ++i) {
      uint32_t count = 0;
      for (uint32_t at = pcs_[i].first; at != kNone; at = counts_[at].next) {
        counts[count++] = {counts_[at].reason, counts_[at].samples};
        if (count < Encoder::kMostStallCounts) continue;
        take(pcs_[i].function, pcs_[i].offset, counts, count);
        count = 0;
      }
      if (count > 0) take(pcs_[i].function, pcs_[i].offset, counts, count);
    }
    Clear();
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX, kSlots = kMostPcs * 2;
  struct Pc {
    uint64_t offset;
    uint32_t function, first;
  };
  struct Count {
    uint32_t reason, samples, next;
  };
  void Clear();

  Pc* pcs_ = nullptr;
  Count* counts_ = nullptr;
  uint32_t* slots_ = nullptr;  // number of the PC + 1; 0: free
  uint32_t pc_count_ = 0, count_count_ = 0;
};

}  // namespace warpscope::agent
