// Base64 (RFC 4648, section 4) with padding. [MT] Pure.
#pragma once

#include <string>
#include <string_view>

namespace warpscope::page {

void AppendBase64(std::string& out, std::string_view bytes);

}  // namespace warpscope::page
