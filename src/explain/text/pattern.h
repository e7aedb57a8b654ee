// Pattern: the small language in which entries write the texts of errors. [MT] Pure.
//   letters        themselves; case does not matter, one blank stands for any run of blanks
//   {n}            a number: digits, commas between them, and a decimal part
//   {w}            a word: everything up to a blank, quote, comma, semicolon or closing bracket
//   {*}            any text, also none, of at most kGapBytes
// Entries put "^" before a pattern that must be a whole line, and "?" before one that counts only where no other pattern is
// found in the line.
// A pattern begins with letters and matches whole words: "error 70" is not found in "error 700". Work is bounded by
// the size of a window: gaps are tried once each, from short to long, without going back into an earlier gap.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace warpscope::explain {

inline constexpr size_t kGapBytes = 240;

struct PatternMatch {
  size_t begin = 0;
  size_t end = 0;
  std::vector<std::string_view> captures;  // views of the text
};

// The letters before the first placeholder.
std::string_view LiteralHead(std::string_view pattern);
// Whether the pattern matches at `at`; `text` is cleaned.
std::optional<PatternMatch> MatchAt(std::string_view pattern, std::string_view text, size_t at);
// The first place from `from` on at which it matches.
std::optional<PatternMatch> Find(std::string_view pattern, std::string_view text, size_t from = 0);

// Position of `needle` in `text` without regard to case; npos if it is not there.
size_t FindWord(std::string_view text, std::string_view needle, size_t from = 0);
bool Has(std::string_view text, std::string_view needle);
bool EqualsNoCase(std::string_view a, std::string_view b);
char Lower(char c);
bool IsWordByte(char c);  // letter, digit or underscore

}  // namespace warpscope::explain
