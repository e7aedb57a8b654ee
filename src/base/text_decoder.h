// TextDecoder: bytes of a text become UTF-8 as they come. PowerShell's ">" and Windows' event viewer write UTF-16, with
// or without a byte order mark; anything else is passed on as it is, without the mark of UTF-8. [one thread]
// Invariant: pieces of any size give the same text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpscope {

class TextDecoder {
 public:
  // The text of these bytes, valid until the next call or the end of `bytes`. The first kHead bytes are held back until
  // there are so many, for their form tells the encoding.
  std::string_view Decode(std::string_view bytes);
  // What was held back; once, after the last bytes.
  std::string_view Finish();

  // Known once text was given out.
  bool is_utf16() const { return encoding_ == Encoding::kUtf16Little || encoding_ == Encoding::kUtf16Big; }

  static constexpr size_t kHead = 64;

 private:
  enum class Encoding : uint8_t { kUnknown, kBytes, kUtf16Little, kUtf16Big };
  void Detect();
  void Append(std::string_view bytes);

  Encoding encoding_ = Encoding::kUnknown;
  std::string held_;  // before the encoding is known; then the first byte of a unit
  std::string text_;
  uint32_t high_ = 0;  // first half of a character outside of the basic plane; 0: none
};

// All of `bytes`, decoded.
std::string DecodeText(std::string_view bytes);

}  // namespace warpscope
