// Notes: what a user should know about the recording, kept so that it can be said again in every file of a ring.
// [one thread] whoever writes the stream. Fixed memory: beyond kMost only the stream that is open has it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "agent/encoder.h"

namespace warpscope::agent {

class Notes {
 public:
  // severity: 0 info, 1 warning, 2 loss.
  void Tell(Encoder* encoder, unsigned severity, const char* text) {
    encoder->Note(severity, text);
    if (count_ == kMost) return;
    severity_[count_] = severity;
    snprintf(texts_[count_++], kMostBytes, "%s", text);
  }
  void TellAgain(Encoder* encoder) const {
    for (uint32_t i = 0; i < count_; ++i) encoder->Note(severity_[i], texts_[i]);
  }

 private:
  static constexpr uint32_t kMost = 12, kMostBytes = 400;
  uint32_t count_ = 0;
  unsigned severity_[kMost] = {};
  char texts_[kMost][kMostBytes] = {};
};

}  // namespace warpscope::agent
