// XmlText: text from a recording inside XML (SVG, JUnit). [MT] Pure.
#pragma once

#include <string>
#include <string_view>

namespace warpscope::report {

// Safe as content of an element and of an attribute in either quotes: markup becomes entities, control characters
// become visible escapes, and U+FFFE and U+FFFF, which XML 1.0 (section 2.2) forbids, become U+FFFD.
std::string XmlText(std::string_view text);

}  // namespace warpscope::report
