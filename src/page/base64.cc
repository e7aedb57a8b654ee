#include "page/base64.h"

#include <cstdint>

namespace warpscope::page {

void AppendBase64(std::string& out, std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const size_t begin = out.size();
  out.resize(begin + (bytes.size() + 2) / 3 * 4, '=');
  char* to = out.data() + begin;
  const auto at = [&](size_t i) { return uint32_t{static_cast<unsigned char>(bytes[i])}; };
  size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const uint32_t group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    *to++ = kDigits[group >> 18];
    *to++ = kDigits[group >> 12 & 63];
    *to++ = kDigits[group >> 6 & 63];
    *to++ = kDigits[group & 63];
  }
  const size_t left = bytes.size() - i;
  if (left == 0) return;
  const uint32_t group = at(i) << 16 | (left == 2 ? at(i + 1) << 8 : 0U);
  *to++ = kDigits[group >> 18];
  *to++ = kDigits[group >> 12 & 63];
  if (left == 2) *to = kDigits[group >> 6 & 63];
}

}  // namespace warpscope::page
