#include "import/kineto/decimal.h"

#include <algorithm>

namespace warpscope::import::kineto {
namespace {

struct Magnitude {
  bool negative = false;
  bool too_large = false;
  uint64_t value = 0;
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The exponent, clamped: beyond +-100000 every result is zero or too large anyway.
bool ReadExponent(std::string_view text, size_t* at, int64_t* exponent) {
  bool negative = false;
  if (*at < text.size() && (text[*at] == '+' || text[*at] == '-')) negative = text[(*at)++] == '-';
  if (*at == text.size() || !IsDigit(text[*at])) return false;
  int64_t value = 0;
  for (; *at < text.size() && IsDigit(text[*at]); ++*at)
    value = std::min<int64_t>(100000000000, value * 10 + (text[*at] - '0'));
  *exponent = negative ? -value : value;
  return true;
}

// Digits without the point, and how many of them stand before it once the exponent is applied.
std::optional<Magnitude> Scale(std::string_view text, int shift) {
  Magnitude result;
  size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) result.negative = text[at++] == '-';
  const size_t whole_begin = at;
  while (at < text.size() && IsDigit(text[at])) ++at;
  const std::string_view whole = text.substr(whole_begin, at - whole_begin);
  std::string_view fraction;
  if (at < text.size() && text[at] == '.') {
    const size_t begin = ++at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    fraction = text.substr(begin, at - begin);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  int64_t exponent = 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (!ReadExponent(text, &at, &exponent)) return std::nullopt;
  }
  if (at != text.size()) return std::nullopt;

  const int64_t kept = static_cast<int64_t>(whole.size()) + exponent + shift;
  const auto count = static_cast<int64_t>(whole.size() + fraction.size());
  unsigned __int128 value = 0;
  for (int64_t i = 0; i < kept; ++i) {
    if (i >= count && value == 0) break;  // only zeros would follow
    const size_t digit_at = static_cast<size_t>(i);
    const char digit = i >= count ? '0' : digit_at < whole.size() ? whole[digit_at] : fraction[digit_at - whole.size()];
    value = value * 10 + static_cast<unsigned>(digit - '0');
    if (value > UINT64_MAX) {
      result.too_large = true;
      return result;
    }
  }
  result.value = static_cast<uint64_t>(value);
  return result;
}

}  // namespace

std::optional<int64_t> DecimalToInt64(std::string_view text, int shift, DecimalError* error) {
  const auto scaled = Scale(text, shift);
  *error = !scaled ? DecimalError::kNotANumber : DecimalError::kNone;
  if (!scaled) return std::nullopt;
  constexpr uint64_t kMax = INT64_MAX;
  if (scaled->too_large || scaled->value > kMax) {
    *error = DecimalError::kTooLarge;
    return std::nullopt;
  }
  const auto value = static_cast<int64_t>(scaled->value);
  return scaled->negative ? -value : value;
}

std::optional<uint64_t> DecimalToId(std::string_view text, DecimalError* error) {
  const auto scaled = Scale(text, 0);
  *error = !scaled ? DecimalError::kNotANumber : DecimalError::kNone;
  if (!scaled) return std::nullopt;
  if (scaled->too_large || (scaled->negative && scaled->value > (uint64_t{1} << 63))) {
    *error = DecimalError::kTooLarge;
    return std::nullopt;
  }
  return scaled->negative ? uint64_t{0} - scaled->value : scaled->value;
}

}  // namespace warpscope::import::kineto
