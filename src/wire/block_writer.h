// BlockWriter: records into the payload of one block, in memory of the caller.
// [signal-safe] No allocation, no locks; one thread at a time.
#pragma once

#include <cstdint>
#include <cstring>

#include "wire/format.h"

namespace warpscope::wire {

class BlockWriter {
 public:
  // `memory`: sizeof(BlockHeader) + kMaxPayloadBytes bytes.
  explicit constexpr BlockWriter(uint8_t* memory) : memory_(memory) {}

  // No record is longer than this, texts aside.
  static constexpr uint32_t kMaxRecordBytes = 192;

  bool empty() const { return records_ == 0; }
  uint32_t payload_bytes() const { return size_; }
  bool HasRoom(uint32_t bytes = kMaxRecordBytes) const { return size_ + bytes <= kMaxPayloadBytes; }

  // REQUIRES: HasRoom(). The first time of a block is its base.
  void Begin(Tag tag) {
    ++records_;
    Put(tag);
  }
  void Put(uint64_t value) {
    uint8_t* at = payload() + size_;
    while (value >= 0x80) {
      *at++ = static_cast<uint8_t>(value) | 0x80;
      value >>= 7;
    }
    *at++ = static_cast<uint8_t>(value);
    size_ = static_cast<uint32_t>(at - payload());
  }
  void PutSigned(int64_t value) { Put(ZigZag(value)); }
  void PutTime(int64_t time_ns) {
    if (!has_base_) {
      base_ns_ = last_ns_ = time_ns;
      has_base_ = true;
    }
    PutSigned(time_ns - last_ns_);
    last_ns_ = time_ns;
  }
  void PutCorrelation(uint64_t id) {
    PutSigned(static_cast<int64_t>(id - last_correlation_));
    last_correlation_ = id;
  }
  void PutBytes(const char* bytes, uint32_t size) {
    Put(size);
    std::memcpy(payload() + size_, bytes, size);
    size_ += size;
  }

  // Bytes whose number the record tells already.
  void PutRaw(const void* bytes, uint32_t size) {
    std::memcpy(payload() + size_, bytes, size);
    size_ += size;
  }

  // Completes the header and returns the whole block; Reset() begins the next one.
  const uint8_t* Finish(uint32_t* total_bytes) {
    const BlockHeader header{kBlockMagic, size_, Checksum(payload(), size_), records_, base_ns_};
    std::memcpy(memory_, &header, sizeof(header));
    *total_bytes = static_cast<uint32_t>(sizeof(header)) + size_;
    return memory_;
  }
  void Reset() {
    size_ = records_ = 0;
    has_base_ = false;
    base_ns_ = last_ns_ = 0;
    last_correlation_ = 0;
  }

 private:
  uint8_t* payload() { return memory_ + sizeof(BlockHeader); }

  uint8_t* memory_;
  uint32_t size_ = 0, records_ = 0;
  bool has_base_ = false;
  int64_t base_ns_ = 0, last_ns_ = 0;
  uint64_t last_correlation_ = 0;
};

}  // namespace warpscope::wire
