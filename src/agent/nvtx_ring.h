// NvtxRing: NVTX events of all threads on their way to the writer, in fixed memory.
// [MT] Put: wait-free but for one atomic add; Take: the writer alone. When the writer falls behind, events are dropped
// and counted.
#pragma once

#include <atomic>
#include <cstdint>

namespace warpscope::agent {

struct NvtxEvent {
  enum Kind : uint8_t { kRange, kMark, kSpan, kOpen };
  static constexpr uint32_t kTextBytes = 88;  // longer messages are cut in the ring, with "..." at the end

  Kind kind;
  uint32_t tid, end_tid;
  uint32_t category;
  uint32_t domain;  // number given by DomainCreate; 0: the default domain
  int64_t start_ns, end_ns;
  const char* text;  // of a registered string, which lives as long as the process; null: `copy`
  char copy[kTextBytes];
};

class NvtxRing {
 public:
  static constexpr uint32_t kSize = 1 << 15;

  bool Init();
  void Put(const NvtxEvent& event);
  bool Take(NvtxEvent* event);
  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  struct Slot {
    std::atomic<uint64_t> turn;  // 2 * round: free for that round; 2 * round + 1: filled
    NvtxEvent event;
  };
  Slot* slots_ = nullptr;
  std::atomic<uint64_t> head_{0};
  uint64_t tail_ = 0;
  std::atomic<uint64_t> dropped_{0};
};

}  // namespace warpscope::agent
