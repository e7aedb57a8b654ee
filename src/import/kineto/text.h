// Texts of a trace as they are kept: JSON escapes resolved, raw control bytes and bytes that are not UTF-8 replaced.
// [MT] pure functions.
#pragma once

#include <string>
#include <string_view>

namespace warpscope::import::kineto {

struct CleanedText {
  std::string text;         // valid UTF-8 without control characters other than escaped ones
  bool replaced = false;    // raw control bytes or invalid UTF-8 were replaced (by U+FFFD)
  bool bad_escape = false;  // an escape that JSON does not know was kept as written
};

// `raw`: what stands between the quotes.
CleanedText CleanText(std::string_view raw);

// JSON text with one blank behind each comma and colon and none elsewhere, as Kineto writes it ("[[16, 512], []]").
std::string NormalJson(std::string_view raw);

}  // namespace warpscope::import::kineto
