// Texts of NVTX calls into fixed room. [signal-safe]
#pragma once

#include <stddef.h>
#include <wchar.h>

namespace warpscope::agent {

// At most size - 1 bytes and a zero; a text that is cut ends in "...". REQUIRES: size >= 8.
void CopyText(char* to, size_t size, const char* from);
// The same as UTF-8, as much as fits.
void CopyWide(char* to, size_t size, const wchar_t* from);

}  // namespace warpscope::agent
