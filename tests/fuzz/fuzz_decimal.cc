// Decimal text to integers against a slow reference that works on digits.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "import/kineto/decimal.h"
#include "import/kineto/event_reader.h"

namespace {

using warpscope::import::kineto::DecimalError;

// Sign, digits and the place of the point, by the book; nothing if `text` is no number.
std::optional<int64_t> Reference(std::string_view text, int shift) {
  size_t at = 0;
  const bool negative = at < text.size() && text[at] == '-';
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  std::string digits;
  int64_t point = -1;
  for (; at < text.size() && ((text[at] >= '0' && text[at] <= '9') || (text[at] == '.' && point < 0)); ++at) {
    if (text[at] == '.') {
      point = static_cast<int64_t>(digits.size());
    } else {
      digits.push_back(text[at]);
    }
  }
  if (digits.empty()) return std::nullopt;
  if (point < 0) point = static_cast<int64_t>(digits.size());
  if (at < text.size() && (text[at] | 0x20) == 'e') {
    const std::string exponent(text.substr(at + 1));
    const size_t sign = !exponent.empty() && (exponent[0] == '-' || exponent[0] == '+') ? 1 : 0;
    if (exponent.size() == sign || exponent.size() > 6) return std::nullopt;
    if (!std::all_of(exponent.begin() + static_cast<std::ptrdiff_t>(sign), exponent.end(),
                     [](char c) { return c >= '0' && c <= '9'; }))
      return std::nullopt;
    int value = 0;
    for (size_t i = sign; i < exponent.size(); ++i) value = value * 10 + (exponent[i] - '0');
    point += exponent[0] == '-' ? -value : value;
    at = text.size();
  }
  if (at != text.size()) return std::nullopt;
  point += shift;
  std::string kept =
      point <= 0 ? ""
                 : digits.substr(0, static_cast<size_t>(std::min<int64_t>(point, static_cast<int64_t>(digits.size()))));
  if (point > static_cast<int64_t>(digits.size())) kept.append(static_cast<size_t>(point) - digits.size(), '0');
  kept.erase(0, std::min(kept.find_first_not_of('0'), kept.size()));
  if (kept.size() > 19) return std::nullopt;
  unsigned __int128 value = 0;
  for (const char c : kept) value = value * 10 + static_cast<unsigned>(c - '0');
  if (value > INT64_MAX) return std::nullopt;
  return negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
}

bool LongExponent(std::string_view text) {
  const size_t e = text.find_first_of("eE");
  return e != std::string_view::npos && text.size() - e > 7;
}

// The quick path of the event reader must say the same.
void CheckReader(std::string_view text, std::optional<int64_t> expected) {
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos || text.empty()) return;
  static warpscope::import::kineto::EventReader reader;
  std::string event = R"({"ts": )" + std::string(text) + "}";
  const size_t size = event.size();
  event.append(warpscope::import::kineto::kScanPadBytes, '\0');
  warpscope::import::kineto::RawEvent raw;
  const char* after;
  const auto scan = reader.Read(event.data(), event.data() + size, &raw, &after);
  if (scan != warpscope::import::kineto::Scan::kOk) std::abort();
  const bool has = raw.Has(warpscope::import::kineto::RawEvent::kTs);
  if (has != expected.has_value() || (has && raw.ts_ns != *expected)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), std::min<size_t>(size, 80));
  if (LongExponent(text)) return 0;
  DecimalError error;
  const auto expected = Reference(text, 3);
  if (warpscope::import::kineto::DecimalToInt64(text, 3, &error) != expected) std::abort();
  if (expected.has_value() != (error == DecimalError::kNone)) std::abort();
  static_cast<void>(warpscope::import::kineto::DecimalToId(text, &error));
  CheckReader(text, expected);
  return 0;
}
