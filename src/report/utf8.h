// UTF-8 decoding of hostile bytes. [MT] Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpscope::report {

inline constexpr char32_t kReplacement = 0xFFFD;

struct CodePoint {
  char32_t value;      // kReplacement for bytes that are not UTF-8
  uint8_t size_bytes;  // consumed, 1..4
  bool valid;
};

// REQUIRES: at < text.size(). Overlong forms, surrogates and values over U+10FFFF are invalid; an invalid byte consumes
// itself only, so that what follows is read afresh.
CodePoint DecodeUtf8(std::string_view text, size_t at);

}  // namespace warpscope::report
