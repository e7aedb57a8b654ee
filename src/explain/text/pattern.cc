#include "explain/text/pattern.h"

#include <algorithm>

namespace warpscope::explain {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool SameAt(std::string_view text, size_t at, std::string_view literal) {
  return at + literal.size() <= text.size() && EqualsNoCase(text.substr(at, literal.size()), literal);
}

// End of a number at `at`; `at` where there is none.
size_t NumberEnd(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && (IsDigit(text[end]) || (text[end] == ',' && end > at && end + 1 < text.size() &&
                                                      IsDigit(text[end + 1]) && IsDigit(text[end - 1]))))
    ++end;
  if (end > at && end + 1 < text.size() && text[end] == '.' && IsDigit(text[end + 1])) {
    ++end;
    while (end < text.size() && IsDigit(text[end])) ++end;
  }
  return end;
}

size_t WordEnd(std::string_view text, size_t at) {
  constexpr std::string_view kEnds = " '\"`,;)]>}";
  const size_t end = text.find_first_of(kEnds, at);
  return end == std::string_view::npos ? text.size() : end;
}

bool WholeWords(std::string_view text, size_t begin, size_t end) {
  if (begin > 0 && IsWordByte(text[begin]) && IsWordByte(text[begin - 1])) return false;
  return end >= text.size() || end == 0 || !IsWordByte(text[end - 1]) || !IsWordByte(text[end]);
}

// Matches the rest of a pattern; a gap takes the shortest text after which the literal behind it follows.
bool MatchRest(std::string_view pattern, std::string_view text, size_t at, PatternMatch* match) {
  while (!pattern.empty()) {
    const std::string_view literal = LiteralHead(pattern);
    if (!SameAt(text, at, literal)) return false;
    at += literal.size();
    pattern.remove_prefix(literal.size());
    if (pattern.empty()) break;
    const char kind = pattern[1];
    pattern.remove_prefix(3);
    size_t end = at;
    if (kind == 'n') end = NumberEnd(text, at);
    else if (kind == 'w') end = WordEnd(text, at);
    if (kind != '*') {
      // A word may hold the letters behind it: "{w}:" takes all up to the colon.
      const std::string_view next = LiteralHead(pattern);
      if (kind == 'w' && !next.empty() && end > at) {
        const size_t found = FindWord(text.substr(0, std::min(text.size(), end + next.size())), next, at + 1);
        if (found != std::string_view::npos) end = found;
      }
      if (end == at) return false;
    } else {
      const std::string_view next = LiteralHead(pattern);
      const std::string_view space = text.substr(0, std::min(text.size(), at + kGapBytes + next.size()));
      end = next.empty() ? at : FindWord(space, next, at);
      if (end == std::string_view::npos) return false;
    }
    match->captures.push_back(text.substr(at, end - at));
    at = end;
  }
  match->end = at;
  return true;
}

}  // namespace

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool IsWordByte(char c) {
  return IsDigit(c) || (Lower(c) >= 'a' && Lower(c) <= 'z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool EqualsNoCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return Lower(x) == Lower(y); });
}

size_t FindWord(std::string_view text, std::string_view needle, size_t from) {
  if (from > text.size()) return std::string_view::npos;
  const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), needle.begin(),
                                 needle.end(), [](char x, char y) { return Lower(x) == Lower(y); });
  return found == text.end() && !needle.empty() ? std::string_view::npos : static_cast<size_t>(found - text.begin());
}

bool Has(std::string_view text, std::string_view needle) { return FindWord(text, needle) != std::string_view::npos; }

std::string_view LiteralHead(std::string_view pattern) {
  for (size_t at = pattern.find('{'); at != std::string_view::npos; at = pattern.find('{', at + 1)) {
    if (at + 2 < pattern.size() && pattern[at + 2] == '}' &&
        (pattern[at + 1] == 'n' || pattern[at + 1] == 'w' || pattern[at + 1] == '*'))
      return pattern.substr(0, at);
  }
  return pattern;
}

std::optional<PatternMatch> MatchAt(std::string_view pattern, std::string_view text, size_t at) {
  PatternMatch match;
  match.begin = at;
  if (!MatchRest(pattern, text, at, &match) || !WholeWords(text, match.begin, match.end)) return std::nullopt;
  return match;
}

std::optional<PatternMatch> Find(std::string_view pattern, std::string_view text, size_t from) {
  const std::string_view head = LiteralHead(pattern);
  for (size_t at = FindWord(text, head, from); at != std::string_view::npos && at < text.size();
       at = FindWord(text, head, at + 1)) {
    if (auto match = MatchAt(pattern, text, at)) return match;
  }
  return std::nullopt;
}

}  // namespace warpscope::explain
