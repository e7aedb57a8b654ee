#include "agent/buffer_pool.h"

#include <sys/mman.h>

namespace warpscope::agent {

bool BufferPool::Init(uint32_t buffers) {
  if (buffers == 0 || buffers > kMostBuffers) buffers = kMostBuffers;
  void* memory =
      mmap(nullptr, kBufferBytes * buffers, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  memory_ = static_cast<uint8_t*>(memory);
  buffers_ = buffers;
  // The last one first, so that few buffers mean few pages.
  for (uint32_t i = 0; i < buffers; ++i) free_[i] = buffers - 1 - i;
  free_count_ = buffers;
  return true;
}

uint32_t BufferPool::IndexOf(const uint8_t* buffer) const {
  if (memory_ == nullptr || buffer < memory_) return UINT32_MAX;
  const auto offset = static_cast<size_t>(buffer - memory_);
  if (offset % kBufferBytes != 0 || offset / kBufferBytes >= buffers_) return UINT32_MAX;
  return static_cast<uint32_t>(offset / kBufferBytes);
}

uint8_t* BufferPool::Take() {
  uint8_t* buffer = nullptr;
  pthread_mutex_lock(&lock_);
  if (free_count_ > 0) {
    const uint32_t index = free_[--free_count_];
    state_[index] = kWithCupti;
    buffer = memory_ + kBufferBytes * index;
    ++taken_;
  }
  pthread_mutex_unlock(&lock_);
  return buffer;
}

bool BufferPool::Queue(uint8_t* buffer, size_t valid_bytes, void* context, uint32_t stream) {
  const uint32_t index = IndexOf(buffer);
  if (index == UINT32_MAX) return false;
  if (valid_bytes > kBufferBytes) valid_bytes = kBufferBytes;
  pthread_mutex_lock(&lock_);
  const bool ours = state_[index] == kWithCupti;
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
  const uint32_t index = IndexOf(buffer);
  if (index == UINT32_MAX) return false;
  pthread_mutex_lock(&lock_);
  const bool expected = state_[index] == from;
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
