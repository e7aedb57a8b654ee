// Unmeasured: kernels that were asked for and have no counters, by name and reason, until they are written at the end.
// [one thread] at a time. Fixed memory: names beyond kMost are counted under one entry.
#pragma once

#include <cstdint>

#include "agent/encoder.h"

namespace warpscope::agent {

class Unmeasured {
 public:
  void Add(const char* name, const char* reason);
  void Write(Encoder* encoder) const;
  bool any() const { return count_ > 0; }

 private:
  static constexpr uint32_t kMost = 128, kNameBytes = 400, kReasonBytes = 400;
  struct Entry {
    char name[kNameBytes], reason[kReasonBytes];
    uint64_t launches;
  };
  Entry entries_[kMost] = {};
  uint32_t count_ = 0;
};

}  // namespace warpscope::agent
