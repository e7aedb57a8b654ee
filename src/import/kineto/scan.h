// Byte-level scanning of JSON text: whitespace, strings, nested values, digits. No tree, no copies.
// [MT] pure functions.
// Buffer rule: the text [p, end) is followed by at least kScanPadBytes readable bytes, the first of which is 0. So a
// scan may load whole vectors and stops at `end` by itself; a NUL inside the text is told apart by its position.
#pragma once

#include <emmintrin.h>

#include <cstdint>
#include <cstring>

namespace warpscope::import::kineto {

inline constexpr size_t kScanPadBytes = 64;

inline uint64_t Load64(const char* at) {
  uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

inline __m128i Load128(const char* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }

inline bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

inline const char* SkipSpace(const char* p) {
  if (static_cast<unsigned char>(*p) > ' ') return p;
  while (IsSpace(*p)) ++p;
  return p;
}

// First byte at or behind `p` that is a quote, a backslash, a control character or not ASCII.
inline const char* FindStringStop(const char* p) {
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i space = _mm_set1_epi8(' ');
  for (;; p += 16) {
    const __m128i bytes = Load128(p);
    // Signed: bytes above 127 are negative, so one comparison finds both control and non-ASCII bytes.
    const __m128i odd = _mm_cmplt_epi8(bytes, space);
    const __m128i hit = _mm_or_si128(odd, _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));
    const int mask = _mm_movemask_epi8(hit);
    if (mask != 0) return p + __builtin_ctz(static_cast<unsigned>(mask));
  }
}

// What a scan came back with.
enum class Scan : uint8_t {
  kOk,
  kNeedMore,  // the text ended inside
  kSyntax,    // not JSON
};

// What is odd about a string's text.
inline constexpr uint8_t kHasEscape = 1;
inline constexpr uint8_t kHasControl = 2;
inline constexpr uint8_t kHasHighByte = 4;

// `p` behind the opening quote. On kOk `*after` is behind the closing quote and `*odd` tells what the text holds.
// Raw control characters and any bytes are let through; the caller decides.
inline Scan ScanString(const char* p, const char* end, const char** after, uint8_t* odd) {
  uint8_t seen = 0;
  for (;;) {
    p = FindStringStop(p);
    if (p >= end) return Scan::kNeedMore;
    if (*p == '"') break;
    if (*p == '\\') {
      seen |= kHasEscape;
      p += 2;
      if (p > end) return Scan::kNeedMore;
      continue;
    }
    seen |= static_cast<signed char>(*p) < 0 ? kHasHighByte : kHasControl;
    ++p;
  }
  *after = p + 1;
  *odd = seen;
  return Scan::kOk;
}

// Any JSON value, `p` at its first byte. Brackets are counted, not matched by type, except the outermost pair.
Scan SkipValue(const char* p, const char* end, const char** after);

// Count of decimal digits among the 8 bytes of `word` (first byte lowest), from the front.
inline unsigned LeadingDigits(uint64_t word) {
  // A byte is a digit iff its high nibble is 3 and adding 6 does not carry into it.
  const uint64_t high = word & 0xF0F0F0F0F0F0F0F0ULL;
  const uint64_t carried = (word + 0x0606060606060606ULL) & 0xF0F0F0F0F0F0F0F0ULL;
  const uint64_t off = (high ^ 0x3030303030303030ULL) | (carried ^ 0x3030303030303030ULL);
  return off == 0 ? 8 : static_cast<unsigned>(__builtin_ctzll(off)) / 8;
}

// Value of 8 ASCII digits, first digit lowest in memory.
inline uint32_t EightDigits(uint64_t word) {
  word = (word & 0x0F0F0F0F0F0F0F0FULL) * 2561 >> 8;
  word = (word & 0x00FF00FF00FF00FFULL) * 6553601 >> 16;
  return static_cast<uint32_t>((word & 0x0000FFFF0000FFFFULL) * 42949672960001ULL >> 32);
}

inline constexpr uint64_t kPowersOfTen[] = {1ULL,
                                            10ULL,
                                            100ULL,
                                            1000ULL,
                                            10000ULL,
                                            100000ULL,
                                            1000000ULL,
                                            10000000ULL,
                                            100000000ULL,
                                            1000000000ULL,
                                            10000000000ULL,
                                            100000000000ULL,
                                            1000000000000ULL,
                                            10000000000000ULL,
                                            100000000000000ULL,
                                            1000000000000000ULL,
                                            10000000000000000ULL,
                                            100000000000000000ULL,
                                            1000000000000000000ULL,
                                            10000000000000000000ULL};

// Digits at `p`, at most 16 of them, as a number; `*digits` says how many there were (16 = there may be more).
// The bytes that LeadingDigits() looks at may lie behind the text, hence the pad.
inline uint64_t UpTo16Digits(const char* p, unsigned* digits) {
  const uint64_t low = Load64(p);
  const unsigned first = LeadingDigits(low);
  if (first < 8) {
    *digits = first;
    return first == 0 ? 0 : EightDigits(low << (64 - 8 * first));
  }
  const uint64_t high = Load64(p + 8);
  const unsigned second = LeadingDigits(high);
  *digits = 8 + second;
  const uint64_t head = EightDigits(low);
  if (second == 0) return head;
  return head * kPowersOfTen[second] + EightDigits(second == 8 ? high : high << (64 - 8 * second));
}

}  // namespace warpscope::import::kineto
