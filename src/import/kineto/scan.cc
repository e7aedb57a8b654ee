#include "import/kineto/scan.h"

namespace warpscope::import::kineto {
namespace {

bool EndsToken(char c) {
  return c == ',' || c == '}' || c == ']' || c == ':' || c == '"' || c == '{' || c == '[' || IsSpace(c);
}

Scan SkipNested(const char* p, const char* end, const char** after) {
  const char close = *p == '[' ? ']' : '}';
  size_t depth = 0;
  const __m128i open_bits = _mm_set1_epi8('{');  // '[' | 0x20 == '{', ']' | 0x20 == '}'
  const __m128i close_bits = _mm_set1_epi8('}');
  const __m128i case_bit = _mm_set1_epi8(0x20);
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i zero = _mm_setzero_si128();
  for (;;) {
    const __m128i bytes = Load128(p);
    const __m128i folded = _mm_or_si128(bytes, case_bit);
    const __m128i hit =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(folded, open_bits), _mm_cmpeq_epi8(folded, close_bits)),
                     _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, zero)));
    auto mask = static_cast<unsigned>(_mm_movemask_epi8(hit));
    const char* next = p + 16;
    for (; mask != 0; mask &= mask - 1) {
      const char* at = p + __builtin_ctz(mask);
      if (at >= end) return Scan::kNeedMore;
      const char c = *at;
      if (c == '"') {
        uint8_t odd;
        const Scan scan = ScanString(at + 1, end, &next, &odd);
        if (scan != Scan::kOk) return scan;
        break;
      }
      if (c == 0) continue;
      if ((c | 0x20) == '{') {
        ++depth;
      } else if (--depth == 0) {
        if (c != close) return Scan::kSyntax;
        *after = at + 1;
        return Scan::kOk;
      }
    }
    p = next;
    if (p >= end) return Scan::kNeedMore;
  }
}

}  // namespace

Scan SkipValue(const char* p, const char* end, const char** after) {
  if (p >= end) return Scan::kNeedMore;
  if (*p == '"') {
    uint8_t odd;
    return ScanString(p + 1, end, after, &odd);
  }
  if (*p == '{' || *p == '[') return SkipNested(p, end, after);
  const char* start = p;
  while (p < end && !EndsToken(*p)) ++p;
  if (p >= end) return Scan::kNeedMore;
  if (p == start) return Scan::kSyntax;
  *after = p;
  return Scan::kOk;
}

}  // namespace warpscope::import::kineto
