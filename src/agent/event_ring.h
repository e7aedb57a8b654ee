// EventRing: events of all threads on their way to the writer, in fixed memory.
// [MT] Put: wait-free but for one atomic add; Take: the writer alone. When the writer falls behind, events are dropped
// and counted.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstdint>

namespace warpscope::agent {

template <typename Event, uint32_t kSize>
class EventRing {
 public:
  bool Init() {
    if (slots_ != nullptr) return true;
    // Fresh pages are zero, which is "free for round 0".
    void* memory =
        mmap(nullptr, sizeof(Slot) * kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    slots_ = static_cast<Slot*>(memory);
    return true;
  }

  void Put(const Event& event) {
    if (slots_ == nullptr) return;
    uint64_t at = head_.load(std::memory_order_relaxed);
    for (;;) {
      const uint64_t free_turn = 2 * (at / kSize);
      const uint64_t turn = slots_[at % kSize].turn.load(std::memory_order_acquire);
      if (turn < free_turn) {  // the writer has not come round yet
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return;
      }
      if (turn == free_turn && head_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) break;
      if (turn != free_turn) at = head_.load(std::memory_order_relaxed);
    }
    Slot& slot = slots_[at % kSize];
    slot.event = event;
    slot.turn.store(2 * (at / kSize) + 1, std::memory_order_release);
  }

  bool Take(Event* event) {
    if (slots_ == nullptr) return false;
    Slot& slot = slots_[tail_ % kSize];
    if (slot.turn.load(std::memory_order_acquire) != 2 * (tail_ / kSize) + 1) return false;
    *event = slot.event;
    slot.turn.store(2 * (tail_ / kSize) + 2, std::memory_order_release);
    ++tail_;
    return true;
  }

  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  struct Slot {
    std::atomic<uint64_t> turn;  // 2 * round: free for that round; 2 * round + 1: filled
    Event event;
  };
  Slot* slots_ = nullptr;
  std::atomic<uint64_t> head_{0};
  uint64_t tail_ = 0;
  std::atomic<uint64_t> dropped_{0};
};

}  // namespace warpscope::agent
