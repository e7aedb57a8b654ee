#include "explain/text/clean.h"

#include <algorithm>

#include "explain/text/pattern.h"
#include "explain/text/quantity.h"

namespace warpscope::explain {
namespace {

constexpr int64_t kMostRank = 1'000'000;

// The place after an escape sequence that begins at `at` (ECMA-48: CSI, OSC, or two bytes).
size_t AfterEscape(std::string_view line, size_t at) {
  if (++at >= line.size()) return line.size();
  if (line[at] == '[') {
    ++at;
    while (at < line.size() && !(line[at] >= 0x40 && line[at] <= 0x7e)) ++at;
    return std::min(at + 1, line.size());
  }
  if (line[at] == ']') {
    while (at < line.size() && line[at] != '\a' && line[at] != '\x1b') ++at;
    if (at < line.size() && line[at] == '\x1b') ++at;
    return std::min(at + 1, line.size());
  }
  return at + 1;
}

std::string Plain(std::string_view line) {
  std::string text;
  text.reserve(line.size());
  for (size_t at = 0; at < line.size();) {
    char c = line[at];
    if (c == '\x1b') {
      at = AfterEscape(line, at);
      continue;
    }
    size_t step = 1;
    if (c == '\\' && at + 1 < line.size() && (line[at + 1] == 'n' || line[at + 1] == 't') &&
        (at + 2 >= line.size() || !(line[at + 2] >= 'a' && line[at + 2] <= 'z'))) {
      c = ' ';
      step = 2;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      c = ' ';
    } else if (static_cast<unsigned char>(c) == 0xC2 && at + 1 < line.size() &&
               static_cast<unsigned char>(line[at + 1]) == 0xA0) {  // no-break space of pasted pages
      c = ' ';
      step = 2;
    }
    at += step;
    if (c == ' ' && (text.empty() || text.back() == ' ')) continue;
    text.push_back(c);
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

int64_t RankOf(std::string_view words) {
  const auto number = NumberOf(words);
  return number && *number >= 0 && *number <= static_cast<double>(kMostRank) ? static_cast<int64_t>(*number) : -1;
}

int64_t FindRank(std::string_view text) {
  const std::string_view head = text.substr(0, 300);
  const auto of_mpirun = MatchAt("[1,{n}]<", text, 0);  // mpirun --tag-output
  if (!Has(head, "rank")) return of_mpirun ? RankOf(of_mpirun->captures[0]) : -1;
  for (const std::string_view pattern :
       {"[rank{n}]", "[rank {n}]", "rank {n}]", "[rank:{n}]", "rank{n}:", "rank={n}"}) {
    if (const auto match = Find(pattern, head)) return RankOf(match->captures[0]);
  }
  return of_mpirun ? RankOf(of_mpirun->captures[0]) : -1;
}

// Bytes of one prefix at the beginning of `text`; 0 if there is none.
size_t PrefixBytes(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == '[' || text[0] == '(') {
    const size_t end = text.find(text[0] == '[' ? ']' : ')');
    if (end == std::string_view::npos || end > 80) return 0;
    const std::string_view inside = text.substr(1, end - 1);
    const bool number = !inside.empty() && (inside[0] >= '0' && inside[0] <= '9');
    const bool logger = Find("rank{n}", inside) || Has(inside, "rank ") || Has(inside, "pid=") ||
                        Has(inside, ".cpp:") || Has(inside, ".cc:") || Has(inside, ".h:");
    if (!number && !logger) return 0;
    size_t after = end + 1;
    for (const std::string_view tag : {"<stderr>", "<stdout>"}) {
      if (text.substr(after).starts_with(tag)) after += tag.size();
    }
    while (after < text.size() && (text[after] == ':' || text[after] == ' ')) ++after;
    return after;
  }
  // A date or a time of day: "2026-11-30 17:13:52,123 ", "17:13:52 "
  size_t at = 0;
  size_t colons = 0;
  size_t dashes = 0;
  while (
      at < text.size() && at < 40 &&
      ((text[at] >= '0' && text[at] <= '9') || std::string_view(":-/.,TZ+").find(text[at]) != std::string_view::npos)) {
    colons += text[at] == ':';
    dashes += text[at] == '-' || text[at] == '/';
    ++at;
  }
  if (at < text.size() && text[at] != ' ') return 0;
  if ((colons >= 2 || dashes == 2) && at >= 8) return std::min(at + 1, text.size());
  return 0;
}

}  // namespace

CleanLine Clean(std::string_view line) {
  CleanLine clean;
  clean.text = Plain(line);
  clean.rank = FindRank(clean.text);
  if (!line.empty() && line.back() != ' ') clean.unbroken_bytes = clean.text.size();
  size_t begin = 0;
  for (int i = 0; i < 6; ++i) {
    const size_t bytes = PrefixBytes(std::string_view(clean.text).substr(begin));
    if (bytes == 0 || begin + bytes >= clean.text.size()) break;
    begin += bytes;
  }
  clean.has_prefix = begin > 0;
  clean.text.erase(0, begin);
  return clean;
}

}  // namespace warpscope::explain
