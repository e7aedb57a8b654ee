#include "store/texts.h"

namespace warpscope::store {
namespace {

// Length of the well-formed sequence at `at` (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF); 0 if none.
size_t SequenceAt(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<uint8_t>(text[at + i]) : uint8_t{0}; };
  const auto follows = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const uint8_t first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool fits = !(first == 0xE0 && second < 0xA0) && !(first == 0xED && second > 0x9F);
    return fits && follows(1) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool fits = !(first == 0xF0 && second < 0x90) && !(first == 0xF4 && second > 0x8F);
    return fits && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = SequenceAt(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string ToUtf8(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = SequenceAt(text, at);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++at;
    } else {
      out += text.substr(at, length);
      at += length;
    }
  }
  return out;
}

WritableTexts::WritableTexts(const model::StringPool& pool) : pool_(&pool) {
  for (model::StringId id = 0; id < pool.size(); ++id) {
    if (!IsUtf8(pool.Get(id))) repaired_.emplace(id, ToUtf8(pool.Get(id)));
  }
}

}  // namespace warpscope::store
