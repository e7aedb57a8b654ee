#include "page/json_text.h"

#include <algorithm>

namespace warpscope::page {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

// Length of the piece that must not be divided: an escape, a pair of escaped surrogates, a UTF-8 sequence.
size_t PieceLength(std::string_view text, size_t at) {
  const auto is_escaped = [&](size_t i, std::string_view first_digits) {
    return text.size() - i >= 6 && text[i] == '\\' && text[i + 1] == 'u' && (text[i + 2] | 0x20) == 'd' &&
           first_digits.find(text[i + 3]) != std::string_view::npos;
  };
  size_t length = 1;
  if (text[at] == '\\') {
    length = at + 1 < text.size() && text[at + 1] == 'u' ? 6 : 2;
    if (is_escaped(at, "89abAB") && text.size() - at >= 12 && is_escaped(at + 6, "cdefCDEF")) length = 12;
  } else {
    while (at + length < text.size() && (static_cast<unsigned char>(text[at + length]) & 0xC0) == 0x80) ++length;
  }
  return std::min(length, text.size() - at);
}

// Bytes of the beginning of `text` that fit.
size_t FittingBytes(std::string_view text, size_t max_bytes) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t length = PieceLength(text, at);
    if (at + length > max_bytes) break;
    at += length;
  }
  return at;
}

// Index of the quote that ends the string whose text begins at `at`; the size of the document if none does.
size_t EndOfString(std::string_view json, size_t at) {
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return std::min(at, json.size());
}

}  // namespace

std::string EscapeMarkup(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '<') out += "\\u003c";
    else if (c == '>') out += "\\u003e";
    else if (c == '&') out += "\\u0026";
    else if (json.compare(at, 3, "\xE2\x80\xA8") == 0) out += "\\u2028", at += 2;
    else if (json.compare(at, 3, "\xE2\x80\xA9") == 0) out += "\\u2029", at += 2;
    else out += c;
  }
  return out;
}

std::string CutStrings(std::string json, size_t max_bytes, uint64_t* cut) {
  std::string out;
  bool copying = false;  // only once something was cut
  size_t kept = 0;       // of `json`, up to where it is in `out`
  for (size_t at = json.find('"'); at != std::string::npos && at < json.size(); at = json.find('"', at)) {
    const size_t end = EndOfString(json, at + 1);
    if (end - at - 1 > max_bytes) {
      const std::string_view text = std::string_view(json).substr(at + 1, end - at - 1);
      out.append(json, kept, at + 1 - kept);
      out += text.substr(0, FittingBytes(text, max_bytes));
      out += kEllipsis;
      kept = end;
      copying = true;
      ++*cut;
    }
    at = end + 1;
  }
  if (!copying) return json;
  out.append(json, kept, std::string::npos);
  return out;
}

std::string CutText(std::string_view text, size_t max_bytes, uint64_t* cut) {
  if (text.size() <= max_bytes) return std::string(text);
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80 && max_bytes - end < 4) --end;
  ++*cut;
  return std::string(text.substr(0, end)).append(kEllipsis);
}

}  // namespace warpscope::page
