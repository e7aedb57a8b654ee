// Which mark stands before decimals: the tool prints numbers in the locale of its user.
#include <algorithm>

#include "import/ncu_csv/pages.h"

namespace warpscope::import::ncu_csv {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Whether `mark` parts a number in threes: "1.234.567", not "127.0.0.1".
bool PartsThousands(std::string_view text, char mark) {
  for (size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    const size_t end = std::min(text.find_first_of(".,", at + 1), text.size());
    if (end - at != 4) return false;
  }
  return true;
}

// What one quoted number tells: '.', ',' or 0.
char MarkOf(std::string_view text) {
  if (text.empty() || !IsDigit(text.front()) || !IsDigit(text.back())) return 0;
  if (!std::all_of(text.begin(), text.end(), [](char c) { return IsDigit(c) || c == '.' || c == ','; })) return 0;
  const size_t dot = text.rfind('.'), comma = text.rfind(',');
  if (dot != std::string_view::npos && comma != std::string_view::npos) {
    const char decimal = dot > comma ? '.' : ',', thousands = dot > comma ? ',' : '.';
    return std::count(text.begin(), text.end(), decimal) == 1 && PartsThousands(text, thousands) ? decimal : char{0};
  }
  const size_t at = dot != std::string_view::npos ? dot : comma;
  if (at == std::string_view::npos) return 0;
  const char mark = text[at], other = mark == '.' ? ',' : '.';
  if (std::count(text.begin(), text.end(), mark) > 1) return PartsThousands(text, mark) ? other : char{0};
  // One mark and three digits behind it may be either.
  return text.size() - at - 1 == 3 && text.front() != '0' ? 0 : mark;
}

}  // namespace

char DecimalMarkOf(std::string_view text) {
  int dots = 0, commas = 0;
  while (!text.empty()) {
    const size_t open = text.find('"');
    if (open == std::string_view::npos) break;
    const size_t close = text.find('"', open + 1);
    if (close == std::string_view::npos) break;
    const std::string_view field = text.substr(open + 1, close - open - 1);
    // "9.0" is a compute capability everywhere.
    if (const char mark = field.size() == 3 || field.size() == 4 ? char{0} : MarkOf(field); mark != 0)
      ++(mark == '.' ? dots : commas);
    text.remove_prefix(close + 1);
  }
  return commas > dots ? ',' : '.';
}

}  // namespace warpscope::import::ncu_csv
