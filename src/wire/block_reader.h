// BlockReader: the records of one block's payload. Every read is checked; after the first bad byte ok() is false and
// all further reads give 0.
// [one thread]
#pragma once

#include <cstdint>
#include <string_view>

#include "wire/format.h"

namespace warpscope::wire {

class BlockReader {
 public:
  BlockReader(std::string_view payload, int64_t base_ns) : payload_(payload), last_ns_(base_ns) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == payload_.size(); }
  size_t at_bytes() const { return at_; }

  uint64_t Get() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == payload_.size()) break;
      const auto byte = static_cast<uint8_t>(payload_[at_++]);
      if (shift == 63 && byte > 1) break;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return Fail();
  }
  int64_t GetSigned() { return UnZigZag(Get()); }
  int64_t GetTime() {
    int64_t time_ns = 0;
    if (__builtin_add_overflow(last_ns_, GetSigned(), &time_ns)) Fail();
    else last_ns_ = time_ns;
    return last_ns_;
  }
  uint64_t GetCorrelation() { return last_correlation_ += static_cast<uint64_t>(GetSigned()); }
  std::string_view GetBytes() { return GetRaw(Get()); }
  // `size` bytes whose number the record tells already; empty where they are not there.
  std::string_view GetRaw(uint64_t size) {
    if (!ok_ || size > payload_.size() - at_) {
      Fail();
      return {};
    }
    at_ += size;
    return payload_.substr(at_ - size, size);
  }

 private:
  uint64_t Fail() {
    ok_ = false;
    at_ = payload_.size();
    return 0;
  }

  std::string_view payload_;
  size_t at_ = 0;
  bool ok_ = true;
  int64_t last_ns_;
  uint64_t last_correlation_ = 0;
};

}  // namespace warpscope::wire
