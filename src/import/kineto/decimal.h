// Decimal text to integers, exactly: no double on the way.
// [MT] pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpscope::import::kineto {

enum class DecimalError : uint8_t {
  kNone,
  kNotANumber,
  kTooLarge,  // a number, but beyond the range of the result
};

// `text` (JSON number or anything like it: sign, digits, fraction, exponent) times 10^`shift`, cut towards zero.
// Microseconds to nanoseconds: shift 3. Any count of digits.
std::optional<int64_t> DecimalToInt64(std::string_view text, int shift, DecimalError* error);

// An identifier: non-negative up to 2^64-1, or negative (two's complement). Fractions are cut off.
std::optional<uint64_t> DecimalToId(std::string_view text, DecimalError* error);

}  // namespace warpscope::import::kineto
