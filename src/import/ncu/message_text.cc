#include "import/ncu/message_text.h"

namespace warpscope::import::ncu {
namespace {

// One link without its '@'s; nothing if it is none.
std::string Link(std::string_view body) {
  const size_t first = body.find(':');
  if (first == std::string_view::npos) return {};
  const std::string_view kind = body.substr(0, first), rest = body.substr(first + 1);
  const size_t second = rest.find(':');
  if (second == std::string_view::npos) return {};
  const std::string_view left = rest.substr(0, second), right = rest.substr(second + 1);
  if (kind == "section" || kind == "sectionGroup" || kind == "source") return std::string(right);
  if (kind == "url") return std::string(left) + " (" + std::string(right) + ")";
  return {};
}

}  // namespace

std::string PlainMessage(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const size_t open = text.find('@');
    plain += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const size_t close = text.find('@', open + 1);
    const std::string link =
        close == std::string_view::npos ? std::string() : Link(text.substr(open + 1, close - open - 1));
    if (link.empty()) {
      plain += '@';
      text.remove_prefix(open + 1);
    } else {
      plain += link;
      text.remove_prefix(close + 1);
    }
  }
  return plain;
}

}  // namespace warpscope::import::ncu
