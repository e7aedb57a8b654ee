// Just enough JSON for one line of `journalctl -o json`: a flat object of strings.
#include "faults/carrier.h"
#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

void AppendUtf8(uint32_t point, std::string* to) {
  if (point < 0x80) {
    *to += static_cast<char>(point);
  } else if (point < 0x800) {
    *to += static_cast<char>(0xC0 | point >> 6);
    *to += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    *to += static_cast<char>(0xE0 | (point >> 12 & 0x0F));
    *to += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    *to += static_cast<char>(0x80 | (point & 0x3F));
  }
}

// A string behind its opening quote. `to` may be null: then it is only passed.
bool TakeString(std::string_view& text, std::string* to) {
  while (!text.empty()) {
    const char byte = text[0];
    text.remove_prefix(1);
    if (byte == '"') return true;
    if (byte != '\\') {
      if (to != nullptr) *to += byte;
      continue;
    }
    if (text.empty()) return false;
    const char escaped = text[0];
    text.remove_prefix(1);
    if (to == nullptr) continue;
    switch (escaped) {
      case 'n':
      case 'r':
      case 'b':
      case 'f': *to += ' '; break;
      case 't': *to += '\t'; break;
      case 'u': {
        std::string_view digits = text.substr(0, 4);
        const auto point = TakeHex(digits);
        if (!point || !digits.empty() || text.size() < 4) return false;
        text.remove_prefix(4);
        AppendUtf8(static_cast<uint32_t>(*point), to);
        break;
      }
      default: *to += escaped;
    }
  }
  return false;
}

bool TakeBytes(std::string_view text, std::string* to) {
  for (;;) {
    SkipSpaces(text);
    const auto byte = TakeNumber(text);
    if (!byte || *byte > 255) return false;
    *to += static_cast<char>(*byte);
    SkipSpaces(text);
    if (Skip(text, "]")) return true;
    if (!Skip(text, ",")) return false;
  }
}

}  // namespace

bool JsonField(std::string_view object, std::string_view key, std::string* to) {
  to->clear();
  std::string_view rest = object;
  std::string name;
  while (TakeUntil(rest, "\"")) {
    name.clear();
    if (!TakeString(rest, &name)) return false;
    SkipSpaces(rest);
    if (!Skip(rest, ":")) continue;
    SkipSpaces(rest);
    const bool wanted = name == key;
    if (Skip(rest, "\"")) {
      if (!TakeString(rest, wanted ? to : nullptr)) return false;
      if (wanted) return true;
    } else if (wanted) {
      if (Skip(rest, "[")) return TakeBytes(rest, to);
      while (!rest.empty() && (IsDigit(rest[0]) || rest[0] == '.')) {
        *to += rest[0];
        rest.remove_prefix(1);
      }
      return !to->empty();
    }
  }
  return false;
}

}  // namespace warpscope::faults
