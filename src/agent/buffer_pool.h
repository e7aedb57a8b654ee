// BufferPool: the memory that CUPTI fills, within a fixed limit, and the queue of filled buffers on their way to the
// writer. [MT] A lock is held for a few instructions; called once a buffer, never once a record.
// Invariant: a buffer is free, with CUPTI, queued, or being read; so memory never exceeds kBuffers * kBufferBytes, and
// the queue never overflows. Buffers come from malloc: a tool in the process that takes CUPTI's callbacks over gets
// ours completed to it, and frees them (seen with CUPTI 13.0.1). A buffer that is completed twice, late or by somebody
// else is refused and counted.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace warpscope::agent {

class BufferPool {
 public:
  static constexpr size_t kBufferBytes = size_t{512} << 10;
  static constexpr uint32_t kMostBuffers = 88;  // 44 MiB: with the tables and rings, less than 64 MiB

  void Init(uint32_t buffers);

  uint8_t* Take();  // null: all are in use, or the system has no memory
  // Hands a filled buffer to the writer. `valid_bytes` as CUPTI tells. A buffer that is not with CUPTI is refused:
  // false.
  bool Queue(uint8_t* buffer, size_t valid_bytes, void* context, uint32_t stream);
  void GiveBack(uint8_t* buffer);            // after Next()
  bool TakeBackEmpty(uint8_t* buffer);       // that CUPTI did not fill; false as of Queue()
  uint64_t taken() const { return taken_; }  // so far

  struct Filled {
    uint8_t* buffer;
    size_t valid_bytes;
    void* context;
    uint32_t stream;
  };
  bool Next(Filled* filled);  // false: the queue is empty

  void ResetLockAfterFork();

 private:
  enum State : uint8_t { kFree, kWithCupti, kQueued, kRead };

  bool Free(uint8_t* buffer, State from);
  uint32_t IndexOf(const uint8_t* buffer) const;
  void Allocate(uint32_t index);

  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  uint8_t* memory_[kMostBuffers] = {};  // null: never asked for
  uint32_t buffers_ = 0;
  uint32_t free_[kMostBuffers] = {};
  uint32_t free_count_ = 0;
  uint8_t state_[kMostBuffers] = {};
  uint64_t taken_ = 0;
  Filled queue_[kMostBuffers] = {};
  uint32_t head_ = 0, queued_ = 0;
};

}  // namespace warpscope::agent
