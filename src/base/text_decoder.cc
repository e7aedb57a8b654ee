#include "base/text_decoder.h"

#include <algorithm>

namespace warpscope {
namespace {

void AppendUtf8(uint32_t point, std::string* to) {
  const auto add = [&](uint32_t byte) { to->push_back(static_cast<char>(byte)); };
  const auto rest = [&](unsigned shift) { add(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xC0 | point >> 6);
  } else if (point < 0x10000) {
    add(0xE0 | point >> 12);
    rest(6);
  } else {
    add(0xF0 | point >> 18);
    rest(12), rest(6);
  }
  rest(0);
}

// Text of Western languages in UTF-16 without a mark: every other byte is zero, and none of the rest.
bool IsHalfZero(std::string_view head, size_t zero_at) {
  constexpr size_t kLeast = 8;
  const size_t units = head.size() / 2;
  size_t zeros = 0, others = 0;
  for (size_t i = 0; i + 1 < head.size(); i += 2) {
    zeros += head[i + zero_at] == '\0' ? 1 : 0;
    others += head[i + 1 - zero_at] == '\0' ? 1 : 0;
  }
  return head.size() >= kLeast && zeros * 10 >= units * 9 && others == 0;
}

}  // namespace

void TextDecoder::Detect() {
  const std::string_view head = held_;
  size_t mark = 0;
  encoding_ = Encoding::kBytes;
  if (head.starts_with("\xFF\xFE")) encoding_ = Encoding::kUtf16Little, mark = 2;
  else if (head.starts_with("\xFE\xFF")) encoding_ = Encoding::kUtf16Big, mark = 2;
  else if (head.starts_with("\xEF\xBB\xBF")) mark = 3;
  else if (IsHalfZero(head, 1)) encoding_ = Encoding::kUtf16Little;
  else if (IsHalfZero(head, 0)) encoding_ = Encoding::kUtf16Big;
  const std::string bytes = held_.substr(mark);
  held_.clear();
  if (encoding_ == Encoding::kBytes) text_ += bytes;
  else Append(bytes);
}

void TextDecoder::Append(std::string_view bytes) {
  constexpr uint32_t kReplacement = 0xFFFD;
  for (const char byte : bytes) {
    held_ += byte;
    if (held_.size() < 2) continue;
    const bool little = encoding_ == Encoding::kUtf16Little;
    const auto low = static_cast<uint8_t>(held_[little ? 0 : 1]), high = static_cast<uint8_t>(held_[little ? 1 : 0]);
    held_.clear();
    const auto unit = static_cast<uint32_t>(high << 8 | low);
    const bool is_high = unit >= 0xD800 && unit < 0xDC00, is_low = unit >= 0xDC00 && unit < 0xE000;
    const uint32_t first = high_;
    high_ = is_high ? unit : 0;
    if (first != 0 && is_low) {
      AppendUtf8(0x10000U + ((first - 0xD800U) << 10 | (unit - 0xDC00U)), &text_);
      continue;
    }
    if (first != 0) AppendUtf8(kReplacement, &text_);  // a first half alone
    if (!is_high) AppendUtf8(is_low ? kReplacement : unit, &text_);
  }
}

std::string_view TextDecoder::Decode(std::string_view bytes) {
  text_.clear();
  if (encoding_ == Encoding::kUnknown) {
    const size_t taken = std::min(bytes.size(), kHead - held_.size());
    held_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    if (held_.size() < kHead) return {};
    Detect();
    if (encoding_ == Encoding::kBytes) text_ += bytes;
    else Append(bytes);
    return text_;
  }
  if (encoding_ == Encoding::kBytes) return bytes;
  Append(bytes);
  return text_;
}

std::string_view TextDecoder::Finish() {
  text_.clear();
  if (encoding_ == Encoding::kUnknown) Detect();
  return text_;
}

std::string DecodeText(std::string_view bytes) {
  TextDecoder decoder;
  std::string text(decoder.Decode(bytes));
  return text += decoder.Finish();
}

}  // namespace warpscope
