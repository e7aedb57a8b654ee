#include "report/xml.h"

#include "report/text.h"

namespace warpscope::report {

std::string XmlText(std::string_view text) {
  constexpr std::string_view kForbidden = "\xef\xbf";  // the first two bytes of U+FFC0 to U+FFFF
  const std::string clean = Clean(text, true);
  std::string out;
  out.reserve(clean.size());
  for (size_t i = 0; i < clean.size(); ++i) {
    const char c = clean[i];
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\xbe':
      case '\xbf': out += out.ends_with(kForbidden) ? '\xbd' : c; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace warpscope::report
