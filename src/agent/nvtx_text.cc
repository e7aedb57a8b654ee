#include "agent/nvtx_text.h"

#include <stdint.h>
#include <string.h>

namespace warpscope::agent {

void CopyText(char* to, size_t size, const char* from) {
  const size_t length = strnlen(from, size);
  if (length < size) {
    memcpy(to, from, length + 1);
  } else {
    memcpy(to, from, size - 4);
    memcpy(to + size - 4, "...", 4);
  }
}

void CopyWide(char* to, size_t size, const wchar_t* from) {
  size_t at = 0;
  for (; *from != 0 && at + 5 < size; ++from) {
    const auto code = static_cast<uint32_t>(*from);
    if (code < 0x80) {
      to[at++] = static_cast<char>(code);
    } else if (code < 0x800) {
      to[at++] = static_cast<char>(0xC0 | code >> 6);
      to[at++] = static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
      to[at++] = static_cast<char>(0xE0 | code >> 12);
      to[at++] = static_cast<char>(0x80 | (code >> 6 & 0x3F));
      to[at++] = static_cast<char>(0x80 | (code & 0x3F));
    } else {
      to[at++] = static_cast<char>(0xF0 | (code >> 18 & 7));
      to[at++] = static_cast<char>(0x80 | (code >> 12 & 0x3F));
      to[at++] = static_cast<char>(0x80 | (code >> 6 & 0x3F));
      to[at++] = static_cast<char>(0x80 | (code & 0x3F));
    }
  }
  to[at] = '\0';
}

}  // namespace warpscope::agent
