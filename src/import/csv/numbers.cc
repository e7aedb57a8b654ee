// Numbers as tools print them: thousands separators, decimal commas, words that stand for no value.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "import/csv/csv_reader.h"

namespace warpscope::import {
namespace {

std::string_view Trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Which of '.' and ',' is the decimal mark; 0 if neither is.
char DecimalMark(std::string_view text) {
  const size_t dot = text.rfind('.'), comma = text.rfind(',');
  if (dot != std::string_view::npos && comma != std::string_view::npos) return dot > comma ? '.' : ',';
  const size_t at = dot != std::string_view::npos ? dot : comma;
  if (at == std::string_view::npos) return 0;
  const char mark = text[at];
  if (std::count(text.begin(), text.end(), mark) > 1) return 0;
  size_t digits = 0;
  while (at + 1 + digits < text.size() && IsDigit(text[at + 1 + digits])) ++digits;
  if (mark == ',' && digits == 3 && at > 0) return 0;
  return mark;
}

}  // namespace

std::optional<double> ParseNumber(std::string_view text, char decimal) {
  text = Trimmed(text);
  if (text.empty() || text.size() > 64) return std::nullopt;
  if (decimal == 0) decimal = DecimalMark(text);
  char plain[65];
  size_t size = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == decimal) plain[size++] = '.';
    else if (c == '.' || c == ',' || c == '\'' || c == ' ') continue;            // thousands
    else if (static_cast<unsigned char>(c) == 0xC2 && i + 1 < text.size()) ++i;  // no-break space
    else if (text.substr(i, 3) == "\xE2\x80\xAF") i += 2;                        // narrow no-break space
    else plain[size++] = c;
  }
  const char* begin = plain + (size > 1 && plain[0] == '+' ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(begin, plain + size, value);
  if (error != std::errc() || end != plain + size || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<uint64_t> ParseCount(std::string_view text) {
  text = Trimmed(text);
  uint64_t value = 0;
  bool any = false;
  for (const char c : text) {
    if (any && (c == ',' || c == '\'')) continue;
    if (!IsDigit(c)) return std::nullopt;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
    any = true;
  }
  return any ? std::optional(value) : std::nullopt;
}

std::optional<int64_t> ParseSigned(std::string_view text) {
  text = Trimmed(text);
  const bool negative = !text.empty() && text.front() == '-';
  const auto value = ParseCount(negative ? text.substr(1) : text);
  if (!value || *value > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
  return negative ? -static_cast<int64_t>(*value) : static_cast<int64_t>(*value);
}

std::optional<int64_t> ParseTimeNs(std::string_view text, int64_t unit_ns) {
  text = Trimmed(text);
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  size_t at = 0;
  int64_t whole = 0;
  for (; at < text.size() && IsDigit(text[at]); ++at) {
    if (__builtin_mul_overflow(whole, int64_t{10}, &whole) || __builtin_add_overflow(whole, text[at] - '0', &whole))
      return std::nullopt;
  }
  if (at == 0 || __builtin_mul_overflow(whole, unit_ns, &whole)) return std::nullopt;
  if (at < text.size() && text[at] == '.') {
    ++at;
    int64_t unit = unit_ns;
    for (; at < text.size() && IsDigit(text[at]); ++at) {
      unit /= 10;
      if (__builtin_add_overflow(whole, unit * (text[at] - '0'), &whole)) return std::nullopt;
    }
  }
  if (at != text.size()) return std::nullopt;
  return negative ? -whole : whole;
}

}  // namespace warpscope::import
