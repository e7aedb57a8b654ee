#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/utf8.h"

namespace warpscope::report {
namespace {

struct Range {
  char32_t first, last;
};

template <size_t N>
bool In(const std::array<Range, N>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(), [&](Range r) { return c >= r.first && c <= r.last; });
}

// Unicode 15 categories Cc, Cf (format characters that reorder or hide text), Zl, Zp.
constexpr std::array<Range, 11> kUnsafe = {{{0x00, 0x1F},
                                            {0x7F, 0x9F},
                                            {0xAD, 0xAD},
                                            {0x61C, 0x61C},
                                            {0x180E, 0x180E},
                                            {0x200B, 0x200F},
                                            {0x2028, 0x202E},
                                            {0x2060, 0x206F},
                                            {0xFEFF, 0xFEFF},
                                            {0xFFF9, 0xFFFB},
                                            {0xE0000, 0xE0FFF}}};
// The combining blocks that occur in practice.
constexpr std::array<Range, 8> kZeroWidth = {{{0x300, 0x36F},
                                              {0x483, 0x489},
                                              {0x591, 0x5BD},
                                              {0x64B, 0x65F},
                                              {0x1AB0, 0x1AFF},
                                              {0x20D0, 0x20FF},
                                              {0xFE00, 0xFE0F},
                                              {0xFE20, 0xFE2F}}};
// East Asian Width W and F (UAX #11), by block.
constexpr std::array<Range, 13> kWide = {{{0x1100, 0x115F},
                                          {0x2E80, 0x303E},
                                          {0x3041, 0x33FF},
                                          {0x3400, 0x4DBF},
                                          {0x4E00, 0x9FFF},
                                          {0xA000, 0xA4CF},
                                          {0xAC00, 0xD7A3},
                                          {0xF900, 0xFAFF},
                                          {0xFE30, 0xFE6F},
                                          {0xFF00, 0xFF60},
                                          {0xFFE0, 0xFFE6},
                                          {0x1F300, 0x1FAFF},
                                          {0x20000, 0x3FFFD}}};

size_t WidthOf(char32_t c) { return In(kZeroWidth, c) ? 0 : In(kWide, c) ? 2 : 1; }

// Longest prefix of at most `columns`, in bytes.
size_t PrefixBytes(std::string_view text, size_t columns) {
  size_t used = 0;
  size_t at = 0;
  while (at < text.size()) {
    const CodePoint c = DecodeUtf8(text, at);
    const size_t width = WidthOf(c.value);
    if (used + width > columns) break;
    used += width;
    at += c.size_bytes;
  }
  return at;
}

// Start of the longest suffix of at most `columns`.
size_t SuffixStart(std::string_view text, size_t columns) {
  size_t over = Width(text);
  size_t at = 0;
  while (at < text.size() && over > columns) {
    const CodePoint c = DecodeUtf8(text, at);
    over -= WidthOf(c.value);
    at += c.size_bytes;
  }
  return at;
}

}  // namespace

std::string Clean(std::string_view text, bool utf8) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = DecodeUtf8(text, at);
    if (c.value >= 0x20 && c.value < 0x7F) {
      out += static_cast<char>(c.value);
    } else if (c.valid && In(kUnsafe, c.value)) {
      out += c.value < 0x100 ? fmt::format("\\x{:02x}", static_cast<uint32_t>(c.value))
                             : fmt::format("\\u{:04x}", static_cast<uint32_t>(c.value));
    } else if (!utf8) {
      out += '?';
    } else if (c.valid) {
      out += text.substr(at, c.size_bytes);
    } else {
      out += "\xEF\xBF\xBD";
    }
    at += c.size_bytes;
  }
  return out;
}

size_t Width(std::string_view text) {
  size_t width = 0;
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = DecodeUtf8(text, at);
    width += WidthOf(c.value);
    at += c.size_bytes;
  }
  return width;
}

std::string CutMiddle(std::string_view text, size_t columns, bool utf8) {
  if (Width(text) <= columns) return std::string(text);
  const std::string_view ellipsis = utf8 ? "\xE2\x80\xA6" : "..";
  const size_t ellipsis_width = utf8 ? 1 : 2;
  if (columns <= ellipsis_width) return std::string(text.substr(0, PrefixBytes(text, columns)));
  const size_t room = columns - ellipsis_width;
  const size_t tail = room / 3;  // the front tells more: namespace and function before the template arguments
  std::string out(text.substr(0, PrefixBytes(text, room - tail)));
  out += ellipsis;
  out += text.substr(SuffixStart(text, tail));
  return out;
}

namespace {

// A number and its unit stay on one line.
bool IsUnit(std::string_view word) {
  while (!word.empty() && std::string_view(".,;:)").find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  constexpr std::string_view kUnits[] = {"%",   "ns",  "us",  "ms",   "s",    "min",  "B",   "KiB",
                                         "MiB", "GiB", "TiB", "kB/s", "MB/s", "GB/s", "TB/s"};
  return std::find(std::begin(kUnits), std::end(kUnits), word) != std::end(kUnits);
}

// End of the word at `at`, with the units that belong to it.
size_t WordEnd(std::string_view text, size_t at) {
  size_t end = std::min(text.find(' ', at), text.size());
  while (end > at && end < text.size() && text[end - 1] >= '0' && text[end - 1] <= '9') {
    const size_t next = std::min(text.find(' ', end + 1), text.size());
    std::string_view word = text.substr(end + 1, next - end - 1);
    // "3 ms，": the unit ends where the wide text begins.
    const auto wide = std::find_if(word.begin(), word.end(), [](char c) { return static_cast<uint8_t>(c) >= 0x80; });
    word = word.substr(0, static_cast<size_t>(wide - word.begin()));
    if (!IsUnit(word)) break;
    end = next;
  }
  return end;
}

// Punctuation that begins no line, and that ends none (JIS X 4051 and GB/T 15834, the part that occurs in our texts).
bool BeginsNoLine(char32_t c) {
  return c < 0x7F ? std::u32string_view(U"!%),.:;?]}").find(static_cast<char32_t>(c)) != std::u32string_view::npos
                  : std::u32string_view(
                        U"\u3001\u3002\u300B\u300D\u300F\u3011\uFF01\uFF05\uFF09\uFF0C\uFF1A\uFF1B\uFF1F\u2026")
                            .find(c) != std::u32string_view::npos;
}
bool EndsNoLine(char32_t c) {
  return std::u32string_view(U"([{\u300A\u300C\u300E\u3010\uFF08").find(c) != std::u32string_view::npos;
}

// Bytes of the part of `word` that stays on one line: Chinese and Japanese break between any two characters.
size_t PartEnd(std::string_view word) {
  CodePoint before = DecodeUtf8(word, 0);
  size_t at = before.size_bytes;
  while (at < word.size()) {
    const CodePoint c = DecodeUtf8(word, at);
    const bool wide = In(kWide, before.value) || In(kWide, c.value);
    if (wide && !BeginsNoLine(c.value) && !EndsNoLine(before.value) && WidthOf(c.value) > 0) break;
    at += c.size_bytes;
    if (WidthOf(c.value) > 0) before = c;
  }
  return at;
}

}  // namespace

namespace {

enum class LongWord : uint8_t { kCut, kWhole };

std::vector<std::string> WrapWords(std::string_view text, size_t columns, LongWord long_word) {
  columns = std::max<size_t>(columns, 2);  // a wide character must fit
  std::vector<std::string> lines;
  std::string line;
  size_t line_width = 0;
  const auto flush = [&] {
    lines.push_back(std::move(line));
    line.clear();
    line_width = 0;
  };
  // `space`: what stood before it was a space, which goes with the end of a line.
  const auto add = [&](std::string_view part, bool space) {
    size_t width = Width(part);
    if (line_width > 0 && line_width + (space ? 1 : 0) + width > columns) flush();
    while (width > columns && long_word == LongWord::kCut) {
      if (line_width > 0) flush();
      const size_t bytes = PrefixBytes(part, columns);
      line = part.substr(0, bytes);
      part.remove_prefix(bytes);
      flush();
      width = Width(part);
    }
    if (part.empty()) return;
    if (line_width > 0 && space) {
      line += ' ';
      ++line_width;
    }
    line += part;
    line_width += width;
  };
  for (size_t at = 0; at < text.size();) {
    const size_t space = WordEnd(text, at);
    std::string_view word = text.substr(at, space - at);
    at = space + 1;
    for (bool first = true; !word.empty(); first = false) {
      const size_t end = PartEnd(word);
      add(word.substr(0, end), first);
      word.remove_prefix(end);
    }
  }
  if (line_width > 0 || lines.empty()) flush();
  return lines;
}

}  // namespace

std::vector<std::string> Wrap(std::string_view text, size_t columns) {
  return WrapWords(text, columns, LongWord::kCut);
}

std::vector<std::string> WrapWholeWords(std::string_view text, size_t columns) {
  return WrapWords(text, columns, LongWord::kWhole);
}

std::string PadRight(std::string text, size_t columns) {
  const size_t width = Width(text);
  if (width < columns) text.append(columns - width, ' ');
  return text;
}

std::string PadLeft(std::string text, size_t columns) {
  const size_t width = Width(text);
  if (width < columns) text.insert(0, columns - width, ' ');
  return text;
}

}  // namespace warpscope::report
