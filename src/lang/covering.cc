#include "lang/covering.h"

#include <algorithm>

namespace warpscope::lang {
namespace {

constexpr size_t kMostCuts = 64;
constexpr size_t kMostWorkBytes = 16 << 20;  // looked at by matches, for one text
constexpr int kMostDepth = 6;                // phrases within phrases
constexpr std::string_view kFullStop = "\xE3\x80\x82";

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWord(char c) { return IsLower(c) || IsUpper(c) || IsDigit(c); }
bool HasLetters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return IsLower(c) || IsUpper(c); });
}

// A sentence begins at 0 and behind ". ".
bool BeginsSentence(std::string_view text, size_t at) {
  if (at == 0) return true;
  if (at < 3 || at >= text.size() || text[at - 1] != ' ' || text[at - 2] != '.') return false;
  // ".." ends a name that was cut.
  return text[at - 3] != '.' && !IsLower(text[at]) && text[at] != '(';
}

// Four small words in a row: English that a pattern of few words would leave in the middle of a translation.
bool IsProse(std::string_view text) {
  size_t words = 0;
  bool code = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (std::count(word.begin(), word.end(), '`') % 2 == 1) code = !code;
    const bool small =
        !code && (word == "a" || (word.size() >= 2 && std::all_of(word.begin(), word.end() - 1, IsLower) &&
                                  (IsLower(word.back()) || word.back() == ',')));
    words = small ? words + 1 : 0;
    if (words >= 4) return true;
    at = end + 1;
  }
  return false;
}
constexpr size_t kFewLiteralBytes = 16;
// Such a pattern fits much: it counts as several, so that sentences of their own go before it.
constexpr size_t kPiecesOfFew = 3;

bool IsLoose(const Pattern& pattern) {
  return pattern.literal_bytes() < kFewLiteralBytes &&
         std::find(pattern.holes().begin(), pattern.holes().end(), Hole::kAny) != pattern.holes().end();
}

// Such a pattern does not reach over the end of a sentence either.
bool HoldsSentenceEnd(std::string_view text) {
  for (size_t at = text.find(". "); at != std::string_view::npos; at = text.find(". ", at + 1)) {
    if (BeginsSentence(text, at + 2)) return true;
  }
  return false;
}

}  // namespace

bool Covering::IsBetter(const State& a, const State& b) {
  if (a.reached != b.reached) return a.reached;
  if (a.unknown_bytes != b.unknown_bytes) return a.unknown_bytes < b.unknown_bytes;
  // One entry that fits the whole goes before several: what those would take apart is a name that holds our words.
  if (a.pieces != b.pieces) return a.pieces < b.pieces;
  return a.literal_bytes > b.literal_bytes;
}

// Where an entry may begin or end, ascending; with 0 and the end.
std::vector<size_t> Covering::Cuts(std::string_view text, const std::vector<uint32_t>& candidates) const {
  std::vector<size_t> cuts = {0, text.size()};
  if (text.ends_with('.')) cuts.push_back(text.size() - 1);
  const size_t ends = cuts.size();
  for (size_t at = text.find(". "); at != std::string_view::npos && at + 2 < text.size();
       at = text.find(". ", at + 1)) {
    if (BeginsSentence(text, at + 2)) cuts.insert(cuts.end(), {at, at + 1, at + 2});
  }
  for (const uint32_t index : candidates) {
    const std::string& begin = translator_.entries_[index].pattern.literals()[0];
    // What continues a sentence begins with a space or a punctuation mark.
    if (begin.size() < 2 || IsWord(begin[0])) continue;
    for (size_t at = text.find(begin, 1); at != std::string_view::npos; at = text.find(begin, at + 1)) {
      cuts.push_back(at);
      if (cuts.size() > 8 * kMostCuts) break;
    }
    if (cuts.size() > 8 * kMostCuts) break;
  }
  const auto tidy = [&] {
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  };
  // More beginnings than our own texts have: names that hold pieces of them. The text is one piece, or English.
  const std::vector<size_t> few(cuts.begin(), cuts.begin() + static_cast<std::ptrdiff_t>(ends));
  tidy();
  if (cuts.size() > kMostCuts) {
    cuts = few;
    tidy();
  }
  return cuts;
}

std::optional<Covering::Rendered> Covering::Render(const Entry& entry, const Pattern::Values& values, int depth) {
  const bool few = entry.pattern.literal_bytes() < kFewLiteralBytes;
  Rendered rendered{{}, entry.pattern.literal_bytes()};
  for (const Part& part : entry.parts) {
    rendered.out += part.literal;
    const std::string_view value = values[part.hole];
    if (part.use != Use::kVerbatim && HasLetters(value) && !IsQuantity(value)) {
      if (const auto& phrase = Phrase(value, depth + 1)) {
        rendered.out += phrase->out;
        rendered.literal_bytes += phrase->literal_bytes;
        continue;
      }
      if (part.use == Use::kPhrase) return std::nullopt;
    }
    if (few && (HoldsSentenceEnd(value) || (part.use == Use::kVerbatim && IsProse(value)))) return std::nullopt;
    rendered.out += value;
  }
  rendered.out += entry.tail;
  return rendered;
}

const std::optional<Covering::State>& Covering::Phrase(std::string_view text, int depth) {
  const auto key = std::pair(text.data(), text.size());
  const auto it = phrases_.find(key);
  if (it != phrases_.end()) return it->second;
  auto found = depth <= kMostDepth ? Cover(text, true, depth) : std::nullopt;
  return phrases_.emplace(key, std::move(found)).first->second;
}

std::optional<Covering::State> Covering::Cover(std::string_view text, bool whole, int depth) {
  const std::vector<uint32_t> candidates = translator_.Candidates(text);
  const std::vector<size_t> cuts = Cuts(text, candidates);
  std::vector<State> states(cuts.size());
  states[0].reached = true;
  const auto offer = [&](size_t to_bytes, State state) {
    const auto it = std::lower_bound(cuts.begin(), cuts.end(), to_bytes);
    if (it == cuts.end() || *it != to_bytes) return;
    State& there = states[static_cast<size_t>(it - cuts.begin())];
    if (IsBetter(state, there)) there = std::move(state);
  };
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    const size_t at = cuts[i];
    const State from = states[i];
    if (!from.reached) continue;
    const auto next = [&](size_t bytes, std::string_view out, size_t literal, size_t unknown, size_t pieces) {
      offer(at + bytes, {true, from.unknown_bytes + unknown, from.pieces + pieces, from.literal_bytes + literal,
                         from.out + std::string(out)});
    };
    if (at > 0 && text[at] == '.') {
      if (at + 1 == text.size()) next(1, kFullStop, 1, 0, 0);
      else if (BeginsSentence(text, at + 2)) next(1, kFullStop, 1, 0, 0);
    }
    // Between sentences stands nothing in Chinese; behind an English one the space stays.
    if (at > 0 && text[at] == ' ' && BeginsSentence(text, at + 1)) next(1, from.out.ends_with('.') ? " " : "", 1, 0, 0);
    const bool begins = BeginsSentence(text, at);
    for (const uint32_t index : candidates) {
      const Entry& entry = translator_.entries_[index];
      const auto& literals = entry.pattern.literals();
      const bool starts = literals[0].empty() || IsWord(literals[0][0]);
      if ((starts && !begins) || !text.substr(at).starts_with(literals[0])) continue;
      for (size_t j = i + 1; j < cuts.size(); ++j) {
        const std::string_view piece = text.substr(at, cuts[j] - at);
        if (!piece.ends_with(literals.back()) || piece.size() < entry.pattern.literal_bytes()) continue;
        work_bytes_ += piece.size();
        if (work_bytes_ > kMostWorkBytes) return std::nullopt;
        std::optional<Rendered> rendered;
        entry.pattern.Match(piece, [&](const Pattern::Values& values) {
          rendered = Render(entry, values, depth);
          return rendered.has_value();
        });
        if (rendered)
          next(piece.size(), rendered->out, rendered->literal_bytes, 0, IsLoose(entry.pattern) ? kPiecesOfFew : 1);
      }
    }
    if (whole || !begins) continue;
    // The sentence stays as it is, up to the next one.
    size_t end = at + 1;
    while (end < text.size() && !(text[end] == ' ' && BeginsSentence(text, end + 1))) ++end;
    next(end - at, text.substr(at, end - at), 0, end - at, 1);
  }
  if (!states.back().reached) return std::nullopt;
  return std::move(states.back());
}

std::optional<std::string> Covering::Translate(std::string_view text) {
  if (!HasLetters(text)) return std::nullopt;
  auto best = Cover(text, false, 0);
  if (!best || best->literal_bytes == 0 || best->unknown_bytes >= text.size()) return std::nullopt;
  return std::move(best->out);
}

}  // namespace warpscope::lang
