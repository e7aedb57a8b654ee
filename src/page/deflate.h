// Raw deflate (RFC 1951), as DecompressionStream("deflate-raw") reads it. [MT] Pure.
#pragma once

#include <string>
#include <string_view>

namespace warpscope::page {

// The same bytes give the same stream. Never fails: what does not pack is stored.
std::string Deflate(std::string_view bytes);

}  // namespace warpscope::page
