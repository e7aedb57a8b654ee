// MemoryLevels: the allocated and reserved level of each device (and of host memory) after each allocator event.
// [one thread] Internal to the memory analysis. Linear; memory grows with devices x ranks, not with events.
// Each process counts its own totals, so levels are kept per (device, link domain) and summed per device. Where an
// event carries no total the level moves by its bytes; events before the first total start from what that total
// implies. Without any total levels are relative to 0 before the first event. Sums saturate.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/index.h"
#include "analysis/window.h"

namespace warpscope::analysis {

int64_t SaturatingAdd(int64_t a, int64_t b);
int64_t SaturatingSubtract(int64_t a, int64_t b);

struct MemoryLevel {
  int64_t allocated_bytes = 0;
  std::optional<int64_t> reserved_bytes;
  bool absolute = false;  // every process with events on the device recorded totals
};

class MemoryLevels {
 public:
  // Events of the scope's domain and device; the window plays no part.
  MemoryLevels(const Index& index, const Scope& scope);

  bool InScope(const model::MemoryEvent& event) const;
  // To be called with the events in scope, in order.
  const MemoryLevel& Apply(const model::MemoryEvent& event);
  // The level before the next event; all zero for a device without events.
  const MemoryLevel& Of(uint32_t device) const;
  // kNone if the event names no thread.
  uint32_t DomainOf(const model::MemoryEvent& event) const;

 private:
  struct Slot {
    int64_t before_first_bytes = 0;  // running sum up to the first total, then the implied level before it
    bool has_total = false;
    int64_t allocated_bytes = 0;
    std::optional<int64_t> reserved_bytes;
  };
  Slot& SlotOf(const model::MemoryEvent& event);
  void FindBases();

  const model::Trace* trace_;
  Scope scope_;
  std::unordered_map<uint64_t, Slot> slots_;  // device << 32 | domain
  uint64_t last_key_ = 0;
  Slot* last_slot_ = nullptr;
  std::vector<MemoryLevel> by_device_;  // host memory last
};

}  // namespace warpscope::analysis
