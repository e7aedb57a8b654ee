#include "model/string_pool.h"

#include <algorithm>
#include <cstring>

namespace warpscope::model {
namespace {

constexpr size_t kFirstBlockBytes = size_t{4} << 10;
constexpr size_t kMaxBlockBytes = size_t{1} << 20;

uint64_t Load64(const char* at) {
  uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

uint64_t Mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

// Multiply-fold over 16 bytes a round; the length is mixed in, so "a" and "a\0" differ.
uint64_t StringPool::Hash(std::string_view text) {
  constexpr uint64_t kA = 0x9E3779B97F4A7C15ULL;
  constexpr uint64_t kB = 0xD6E8FEB86659FD93ULL;
  const char* at = text.data();
  size_t left = text.size();
  uint64_t hash = kA ^ text.size();
  for (; left >= 16; left -= 16, at += 16) hash = Mix(Load64(at) ^ kB, Load64(at + 8) ^ hash);
  char tail[16] = {};
  if (left > 0) std::memcpy(tail, at, left);
  return Mix(Load64(tail) ^ kB ^ hash, Load64(tail + 8) ^ kA ^ left);
}

StringPool::StringPool() : views_(1), hashes_(1, 0), slots_(256, 0) {}

uint64_t StringPool::memory_bytes() const {
  return stored_bytes_ + views_.capacity() * sizeof(views_[0]) + hashes_.capacity() * sizeof(hashes_[0]) +
         slots_.capacity() * sizeof(slots_[0]);
}

std::string_view StringPool::Store(std::string_view text) {
  if (text.empty()) return {"", 0};
  if (block_used_bytes_ + text.size() > block_size_bytes_) {
    const size_t next = std::clamp(block_size_bytes_ * 2, kFirstBlockBytes, kMaxBlockBytes);
    block_size_bytes_ = std::max(next, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_size_bytes_));
    block_used_bytes_ = 0;
    stored_bytes_ += block_size_bytes_;
  }
  char* to = blocks_.back().get() + block_used_bytes_;
  std::memcpy(to, text.data(), text.size());
  block_used_bytes_ += text.size();
  return {to, text.size()};
}

void StringPool::Grow() {
  std::vector<uint32_t> bigger(slots_.size() * 2, 0);
  const size_t mask = bigger.size() - 1;
  for (uint32_t id = 1; id < views_.size(); ++id) {
    size_t slot = hashes_[id] & mask;
    while (bigger[slot] != 0) slot = (slot + 1) & mask;
    bigger[slot] = id;
  }
  slots_.swap(bigger);
}

StringId StringPool::InternHashed(std::string_view text, uint64_t hash) {
  size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  while (slots_[slot] != 0) {
    const uint32_t id = slots_[slot];
    if (hashes_[id] == hash && views_[id] == text) return id;
    slot = (slot + 1) & mask;
  }
  const auto id = static_cast<StringId>(views_.size());
  views_.push_back(Store(text));
  hashes_.push_back(hash);
  slots_[slot] = id;
  if (views_.size() * 2 > slots_.size()) Grow();
  return id;
}

StringId StringPool::Find(std::string_view text) const {
  const uint64_t hash = Hash(text);
  const size_t mask = slots_.size() - 1;
  for (size_t slot = hash & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const uint32_t id = slots_[slot];
    if (hashes_[id] == hash && views_[id] == text) return id;
  }
  return kNoString;
}

}  // namespace warpscope::model
