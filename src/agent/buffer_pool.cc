#include "agent/buffer_pool.h"

#include <stdlib.h>

namespace warpscope::agent {

void BufferPool::Init(uint32_t buffers) {
  buffers_ = buffers == 0 || buffers > kMostBuffers ? kMostBuffers : buffers;
  for (uint32_t i = 0; i < buffers_; ++i) free_[i] = buffers_ - 1 - i;
  free_count_ = buffers_;
}

// Under the lock; at most kMostBuffers of them, asked for once a buffer.
uint32_t BufferPool::IndexOf(const uint8_t* buffer) const {
  if (buffer == nullptr) return UINT32_MAX;
  for (uint32_t i = 0; i < buffers_; ++i) {
    if (memory_[i] == buffer) return i;
  }
  return UINT32_MAX;
}

// A buffer that another tool in the process freed (it took CUPTI's callbacks over) may come back as a new one: its old
// place is given up.
void BufferPool::Allocate(uint32_t index) {
  auto* const memory = static_cast<uint8_t*>(malloc(kBufferBytes));
  const uint32_t before = IndexOf(memory);
  if (before != UINT32_MAX) memory_[before] = nullptr;
  memory_[index] = memory;
}

uint8_t* BufferPool::Take() {
  uint8_t* buffer = nullptr;
  pthread_mutex_lock(&lock_);
  if (free_count_ > 0) {
    const uint32_t index = free_[free_count_ - 1];
    if (memory_[index] == nullptr) Allocate(index);
    buffer = memory_[index];
    if (buffer != nullptr) {
      --free_count_;
      state_[index] = kWithCupti;
      ++taken_;
    }
  }
  pthread_mutex_unlock(&lock_);
  return buffer;
}

bool BufferPool::Queue(uint8_t* buffer, size_t valid_bytes, void* context, uint32_t stream) {
  if (valid_bytes > kBufferBytes) valid_bytes = kBufferBytes;
  pthread_mutex_lock(&lock_);
  const uint32_t index = IndexOf(buffer);
  const bool ours = index != UINT32_MAX && state_[index] == kWithCupti;
  if (ours) {
    state_[index] = kQueued;
    queue_[(head_ + queued_++) % kMostBuffers] = {buffer, valid_bytes, context, stream};
  }
  pthread_mutex_unlock(&lock_);
  return ours;
}

bool BufferPool::Next(Filled* filled) {
  pthread_mutex_lock(&lock_);
  const bool any = queued_ > 0;
  if (any) {
    *filled = queue_[head_];
    head_ = (head_ + 1) % kMostBuffers;
    --queued_;
    state_[IndexOf(filled->buffer)] = kRead;
  }
  pthread_mutex_unlock(&lock_);
  return any;
}

bool BufferPool::Free(uint8_t* buffer, State from) {
  pthread_mutex_lock(&lock_);
  const uint32_t index = IndexOf(buffer);
  const bool expected = index != UINT32_MAX && state_[index] == from;
  if (expected) {
    state_[index] = kFree;
    free_[free_count_++] = index;
  }
  pthread_mutex_unlock(&lock_);
  return expected;
}

void BufferPool::GiveBack(uint8_t* buffer) { Free(buffer, kRead); }
bool BufferPool::TakeBackEmpty(uint8_t* buffer) { return Free(buffer, kWithCupti); }

void BufferPool::ResetLockAfterFork() { lock_ = PTHREAD_MUTEX_INITIALIZER; }

}  // namespace warpscope::agent
