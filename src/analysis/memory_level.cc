#include "analysis/memory_level.h"

#include <algorithm>

namespace warpscope::analysis {

using model::kNone;
using model::MemoryEvent;

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return a < 0 ? INT64_MIN : INT64_MAX;
  return sum;
}

int64_t SaturatingSubtract(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) return a < 0 ? INT64_MIN : INT64_MAX;
  return difference;
}

MemoryLevels::MemoryLevels(const Index& index, const Scope& scope)
    : trace_(&index.trace()), scope_(scope), by_device_(index.trace().devices.size() + 1) {
  FindBases();
}

uint32_t MemoryLevels::DomainOf(const MemoryEvent& event) const {
  return event.thread == kNone ? kNone : trace_->processes[trace_->threads[event.thread].process].link_domain;
}

bool MemoryLevels::InScope(const MemoryEvent& event) const {
  if (scope_.device && event.device != *scope_.device) return false;
  const uint32_t domain = DomainOf(event);
  return !scope_.link_domain || domain == kNone || domain == *scope_.link_domain;
}

MemoryLevels::Slot& MemoryLevels::SlotOf(const MemoryEvent& event) {
  const uint64_t key = static_cast<uint64_t>(event.device) << 32 | DomainOf(event);
  if (last_slot_ == nullptr || key != last_key_) {
    last_slot_ = &slots_[key];  // stays valid: unordered_map never moves its elements
    last_key_ = key;
  }
  return *last_slot_;
}

void MemoryLevels::FindBases() {
  for (const MemoryEvent& event : trace_->memory) {
    if (!InScope(event)) continue;
    Slot& slot = SlotOf(event);
    if (slot.has_total) continue;
    slot.before_first_bytes = SaturatingAdd(slot.before_first_bytes, event.bytes);
    if (event.total_allocated_bytes) {
      slot.before_first_bytes = SaturatingSubtract(*event.total_allocated_bytes, slot.before_first_bytes);
      slot.has_total = true;
    }
    // The reserved level before the first event is taken to be the first one recorded.
    if (!slot.reserved_bytes) slot.reserved_bytes = event.total_reserved_bytes;
  }
  for (MemoryLevel& level : by_device_) level.absolute = true;
  for (auto& [key, slot] : slots_) {
    const auto device = static_cast<uint32_t>(key >> 32);
    MemoryLevel& level = by_device_[std::min<size_t>(device, by_device_.size() - 1)];
    if (!slot.has_total) {
      slot.before_first_bytes = 0;
      level.absolute = false;
    }
    slot.allocated_bytes = slot.before_first_bytes;
    level.allocated_bytes = SaturatingAdd(level.allocated_bytes, slot.allocated_bytes);
    if (slot.reserved_bytes)
      level.reserved_bytes = SaturatingAdd(level.reserved_bytes.value_or(0), *slot.reserved_bytes);
  }
}

const MemoryLevel& MemoryLevels::Of(uint32_t device) const {
  return by_device_[std::min<size_t>(device, by_device_.size() - 1)];
}

const MemoryLevel& MemoryLevels::Apply(const MemoryEvent& event) {
  Slot& slot = SlotOf(event);
  MemoryLevel& level = by_device_[std::min<size_t>(event.device, by_device_.size() - 1)];
  const int64_t now = event.total_allocated_bytes.value_or(SaturatingAdd(slot.allocated_bytes, event.bytes));
  level.allocated_bytes = SaturatingAdd(level.allocated_bytes, SaturatingSubtract(now, slot.allocated_bytes));
  slot.allocated_bytes = now;
  if (event.total_reserved_bytes) {
    const int64_t before = slot.reserved_bytes.value_or(0);
    level.reserved_bytes =
        SaturatingAdd(level.reserved_bytes.value_or(0), SaturatingSubtract(*event.total_reserved_bytes, before));
    slot.reserved_bytes = event.total_reserved_bytes;
  }
  return level;
}

}  // namespace warpscope::analysis
