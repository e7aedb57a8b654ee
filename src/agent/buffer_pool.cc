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
  pthread_mutex_lock(&lock_);
  uint8_t* buffer = free_count_ == 0 ? nullptr : memory_ + kBufferBytes * free_[--free_count_];
  pthread_mutex_unlock(&lock_);
  return buffer;
}

bool BufferPool::Queue(uint8_t* buffer, size_t valid_bytes, void* context, uint32_t stream) {
  if (IndexOf(buffer) == UINT32_MAX) return false;
  if (valid_bytes > kBufferBytes) valid_bytes = kBufferBytes;
  pthread_mutex_lock(&lock_);
  const bool room = queued_ < kMostBuffers;  // always, unless a buffer is completed twice
  if (room) queue_[(head_ + queued_++) % kMostBuffers] = {buffer, valid_bytes, context, stream};
  pthread_mutex_unlock(&lock_);
  return room;
}

bool BufferPool::Next(Filled* filled) {
  pthread_mutex_lock(&lock_);
  const bool any = queued_ > 0;
  if (any) {
    *filled = queue_[head_];
    head_ = (head_ + 1) % kMostBuffers;
    --queued_;
  }
  pthread_mutex_unlock(&lock_);
  return any;
}

void BufferPool::GiveBack(uint8_t* buffer) {
  const uint32_t index = IndexOf(buffer);
  if (index == UINT32_MAX) return;
  pthread_mutex_lock(&lock_);
  if (free_count_ < buffers_) free_[free_count_++] = index;
  pthread_mutex_unlock(&lock_);
}

void BufferPool::ResetLockAfterFork() { lock_ = PTHREAD_MUTEX_INITIALIZER; }

}  // namespace warpscope::agent
