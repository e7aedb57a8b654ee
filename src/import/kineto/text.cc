#include "import/kineto/text.h"

#include <cstdint>

namespace warpscope::import::kineto {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

// Four hex digits at `at`; -1 if they are not.
int32_t ReadHex4(std::string_view text, size_t at) {
  if (at + 4 > text.size()) return -1;
  int32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    const int digit = HexDigit(text[at + i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

void AppendUtf8(uint32_t point, std::string* out) {
  if (point < 0x80) {
    out->push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    out->push_back(static_cast<char>(0xC0 | point >> 6));
    out->push_back(static_cast<char>(0x80 | (point & 0x3F)));
  } else if (point < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | point >> 12));
    out->push_back(static_cast<char>(0x80 | (point >> 6 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (point & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xF0 | point >> 18));
    out->push_back(static_cast<char>(0x80 | (point >> 12 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (point >> 6 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (point & 0x3F)));
  }
}

// Length of the valid UTF-8 sequence at `at` (Unicode 15, table 3-7); 0 if there is none.
size_t Utf8Length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U; };
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned lead = byte(0);
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return byte(1) >= low && byte(1) <= high && continues(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return byte(1) >= low && byte(1) <= high && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

// `at` at the backslash; returns how many bytes were used up.
size_t AppendEscape(std::string_view raw, size_t at, CleanedText* out) {
  const char c = at + 1 < raw.size() ? raw[at + 1] : '\0';
  switch (c) {
    case '"':
    case '\\':
    case '/': out->text.push_back(c); return 2;
    case 'b': out->text.push_back('\b'); return 2;
    case 'f': out->text.push_back('\f'); return 2;
    case 'n': out->text.push_back('\n'); return 2;
    case 'r': out->text.push_back('\r'); return 2;
    case 't': out->text.push_back('\t'); return 2;
    case 'u': {
      const int32_t first = ReadHex4(raw, at + 2);
      if (first < 0) break;
      if (first >= 0xD800 && first <= 0xDBFF && raw.substr(at + 6, 2) == "\\u") {
        const int32_t second = ReadHex4(raw, at + 8);
        if (second >= 0xDC00 && second <= 0xDFFF) {
          AppendUtf8(0x10000 + (static_cast<uint32_t>(first - 0xD800) << 10) + static_cast<uint32_t>(second - 0xDC00),
                     &out->text);
          return 12;
        }
      }
      if (first >= 0xD800 && first <= 0xDFFF) {  // half of a pair
        out->text += kReplacement;
        out->replaced = true;
      } else {
        AppendUtf8(static_cast<uint32_t>(first), &out->text);
      }
      return 6;
    }
    default: break;
  }
  out->bad_escape = true;
  out->text.push_back('\\');
  return 1;
}

}  // namespace

CleanedText CleanText(std::string_view raw) {
  CleanedText out;
  out.text.reserve(raw.size());
  for (size_t at = 0; at < raw.size();) {
    const auto c = static_cast<unsigned char>(raw[at]);
    if (c == '\\') {
      at += AppendEscape(raw, at, &out);
    } else if (c >= 0x20 && c < 0x80) {
      out.text.push_back(raw[at++]);
    } else if (const size_t length = Utf8Length(raw, at); length > 0) {
      out.text.append(raw.substr(at, length));
      at += length;
    } else {
      out.text += kReplacement;
      out.replaced = true;
      ++at;
    }
  }
  return out;
}

std::string NormalJson(std::string_view raw) {
  std::string out;
  out.reserve(raw.size() + 16);
  bool in_string = false;
  for (size_t at = 0; at < raw.size(); ++at) {
    const char c = raw[at];
    if (in_string) {
      out.push_back(c);
      if (c == '\\' && at + 1 < raw.size()) out.push_back(raw[++at]);
      if (c == '"') in_string = false;
      continue;
    }
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    in_string = c == '"';
    out.push_back(c);
    if (c == ',' || c == ':') out.push_back(' ');
  }
  return out;
}

}  // namespace warpscope::import::kineto
