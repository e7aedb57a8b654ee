#include "agent/text_table.h"

#include <string.h>
#include <sys/mman.h>

namespace warpscope::agent {
namespace {

void* Pages(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// FNV-1a, eight bytes at a time where it can; names are long and alike at their beginning.
uint32_t HashOf(const char* text, size_t size) {
  uint64_t hash = 14695981039346656037ULL;
  size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    uint64_t word = 0;
    memcpy(&word, text + at, 8);
    hash = (hash ^ word) * 1099511628211ULL;
    hash ^= hash >> 29;
  }
  for (; at < size; ++at) hash = (hash ^ static_cast<unsigned char>(text[at])) * 1099511628211ULL;
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

bool TextTable::Init() {
  slots_ = static_cast<Slot*>(Pages(sizeof(Slot) * kSlots));
  texts_ = static_cast<char*>(Pages(kMostBytes));
  return slots_ != nullptr && texts_ != nullptr;
}

void TextTable::Clear() {
  if (slots_ != nullptr) memset(slots_, 0, sizeof(Slot) * kSlots);
  used_bytes_ = 0;
  stored_ = 0;
  last_stored_ = nullptr;
}

uint32_t TextTable::Find(const char* text, size_t size, bool* is_new) {
  const uint32_t hash = HashOf(text, size);
  uint32_t at = hash % kSlots;
  for (; slots_[at].number != 0; at = (at + 1) % kSlots) {
    const Slot& slot = slots_[at];
    if (slot.hash == hash && slot.size == size && memcmp(texts_ + slot.offset, text, size) == 0) {
      *is_new = false;
      last_stored_ = texts_ + slot.offset;
      return slot.number;
    }
  }
  *is_new = true;
  last_stored_ = nullptr;
  if (stored_ < kMostTexts && used_bytes_ + size + 1 <= kMostBytes) {
    last_stored_ = texts_ + used_bytes_;
    memcpy(texts_ + used_bytes_, text, size);
    texts_[used_bytes_ + size] = '\0';
    slots_[at] = {last_ + 1, hash, static_cast<uint32_t>(used_bytes_), static_cast<uint32_t>(size)};
    used_bytes_ += size + 1;
    ++stored_;
  }
  return ++last_;
}

}  // namespace warpscope::agent
