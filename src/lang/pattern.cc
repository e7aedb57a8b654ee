#include "lang/pattern.h"

#include <algorithm>

namespace warpscope::lang {
namespace {

constexpr size_t kMostTries = 500;  // of one match
constexpr int kMostOffers = 8;      // of filled holes to the caller
constexpr size_t kMostQuantityBytes = 40;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsUnit(std::string_view word) {
  constexpr std::string_view kUnits[] = {"%",       "ns",      "us",   "ms",     "s",       "min",     "h",
                                         "B",       "KiB",     "MiB",  "GiB",    "TiB",     "B/s",     "kB/s",
                                         "MB/s",    "GB/s",    "TB/s", "FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s",
                                         "TFLOP/s", "PFLOP/s", "W",    "MHz",    "GHz",     "C"};
  return std::find(std::begin(kUnits), std::end(kUnits), word) != std::end(kUnits);
}

// Bytes of the number at the begin of `text`; 0: none.
size_t NumberBytes(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && (text[at] == '<' || text[at] == '>')) ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  const size_t first = at;
  while (at < text.size() && (IsDigit(text[at]) || (text[at] == ',' && at > first))) ++at;
  if (at == first) return 0;
  if (at + 1 < text.size() && text[at] == '.' && IsDigit(text[at + 1])) {
    ++at;
    while (at < text.size() && IsDigit(text[at])) ++at;
  }
  if (at + 2 < text.size() && text[at] == 'e' && (text[at + 1] == '+' || text[at + 1] == '-') &&
      IsDigit(text[at + 2])) {
    at += 2;
    while (at < text.size() && IsDigit(text[at])) ++at;
  }
  return IsDigit(text[at - 1]) ? at : 0;
}

}  // namespace

bool IsQuantity(std::string_view text) {
  if (text == "-" || text == "inf") return true;
  if (text.size() > kMostQuantityBytes) return false;
  const size_t number = NumberBytes(text);
  if (number == 0) return false;
  text.remove_prefix(number);
  if (text.empty() || text == "x") return true;
  if (text[0] != ' ') return false;
  text.remove_prefix(1);
  if (IsUnit(text)) return true;
  constexpr std::string_view kMinutes = "min ";
  return text.substr(0, kMinutes.size()) == kMinutes && IsQuantity(text.substr(kMinutes.size()));
}

std::optional<Pattern> Pattern::Parse(std::string_view text) {
  Pattern pattern;
  std::string literal;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != '{' && c != '}') {
      literal += c;
      continue;
    }
    if (at + 1 < text.size() && text[at + 1] == c) {
      literal += c;
      ++at;
      continue;
    }
    const size_t end = text.find('}', at);
    if (c == '}' || end == std::string_view::npos) return std::nullopt;
    const std::string_view kind = text.substr(at + 1, end - at - 1);
    if (!kind.empty() && kind != "n") return std::nullopt;
    pattern.holes_.push_back(kind.empty() ? Hole::kAny : Hole::kQuantity);
    pattern.literals_.push_back(std::move(literal));
    literal.clear();
    at = end;
  }
  pattern.literals_.push_back(std::move(literal));
  for (const std::string& one : pattern.literals_) pattern.literal_bytes_ += one.size();
  return pattern;
}

struct Pattern::Search {
  const Pattern& pattern;
  std::string_view text;
  const std::function<bool(const Values&)>& accept;
  Values values;
  size_t tries = 0;
  int offers = 0;

  bool Fits(size_t hole, std::string_view value) const {
    return pattern.holes_[hole] == Hole::kAny || IsQuantity(value);
  }

  // Fills holes from `hole` on, the first of which begins at `begin`.
  bool Fill(size_t hole, size_t begin) {
    const std::string& next = pattern.literals_[hole + 1];
    if (hole + 1 == pattern.holes_.size()) {
      if (text.size() - begin < next.size() || !text.ends_with(next)) return false;
      values[hole] = text.substr(begin, text.size() - next.size() - begin);
      return Fits(hole, values[hole]) && ++offers <= kMostOffers && accept(values);
    }
    const bool quantity = pattern.holes_[hole] == Hole::kQuantity;
    // A quantity is short: nothing further away is looked at.
    const std::string_view within =
        quantity ? text.substr(0, std::min(text.size(), begin + kMostQuantityBytes + next.size())) : text;
    for (size_t at = within.find(next, begin); at != std::string_view::npos; at = within.find(next, at + 1)) {
      if (++tries > kMostTries) return false;
      values[hole] = text.substr(begin, at - begin);
      if (Fits(hole, values[hole]) && Fill(hole + 1, at + next.size())) return true;
      if (tries > kMostTries || offers >= kMostOffers) return false;
    }
    return false;
  }
};

bool Pattern::Match(std::string_view text, const std::function<bool(const Values&)>& accept) const {
  if (!text.starts_with(literals_[0]) || !text.ends_with(literals_.back()) || text.size() < literal_bytes_)
    return false;
  if (holes_.empty()) return text.size() == literals_[0].size() && accept({});
  return Search{*this, text, accept, Values(holes_.size())}.Fill(0, literals_[0].size());
}

}  // namespace warpscope::lang
