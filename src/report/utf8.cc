#include "report/utf8.h"

namespace warpscope::report {

CodePoint DecodeUtf8(std::string_view text, size_t at) {
  constexpr CodePoint kBad = {kReplacement, 1, false};
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xC2 || lead > 0xF4) return kBad;
  const uint8_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() - at < size) return kBad;
  char32_t value = lead & (0xFF >> (size + 1));
  for (uint8_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return kBad;
    value = (value << 6) | (byte(at + i) & 0x3F);
  }
  const bool overlong = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
  if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return kBad;
  return {value, size, true};
}

}  // namespace warpscope::report
