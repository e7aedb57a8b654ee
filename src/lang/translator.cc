#include "lang/translator.h"

#include <algorithm>
#include <array>

#include "lang/covering.h"

namespace warpscope::lang {
namespace {

// Texts longer than this hold a name that long: only their ends are matched.
constexpr size_t kWholeBytes = 8192;
constexpr size_t kEndBytes = 2048;

bool IsWord(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Words of `text` that begin and end within it, at a border of words.
template <typename F>
void ForEachWord(std::string_view text, const F& visit) {
  for (size_t at = 0; at < text.size();) {
    if (!IsWord(text[at])) {
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < text.size() && IsWord(text[at])) ++at;
    visit(begin, text.substr(begin, at - begin));
  }
}

// Words that every text of the pattern has, whole: not those that a hole touches.
template <typename F>
void ForEachAnchor(const Pattern& pattern, const F& visit) {
  const auto& literals = pattern.literals();
  for (size_t i = 0; i < literals.size(); ++i) {
    const std::string_view literal = literals[i];
    ForEachWord(literal, [&](size_t begin, std::string_view word) {
      const bool hole_before = begin == 0 && i > 0;
      const bool hole_after = begin + word.size() == literal.size() && i + 1 < literals.size();
      if (!hole_before && !hole_after) visit(word);
    });
  }
}

// Cut back to a border of UTF-8 characters.
size_t BorderBefore(std::string_view text, size_t at) {
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

}  // namespace

Translator::Translator(std::vector<Entry> entries) : entries_(std::move(entries)) {
  std::unordered_map<std::string_view, uint32_t> uses;
  for (const Entry& entry : entries_) ForEachAnchor(entry.pattern, [&](std::string_view word) { ++uses[word]; });
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    std::string_view rarest;
    uint32_t least = 0;
    ForEachAnchor(entries_[i].pattern, [&](std::string_view word) {
      if (!rarest.empty() && uses[word] >= least) return;
      rarest = word;
      least = uses[word];
    });
    if (rarest.empty()) without_word_.push_back(i);
    else by_word_[rarest].push_back(i);
  }
}

std::vector<uint32_t> Translator::Candidates(std::string_view text) const {
  std::vector<uint32_t> found = without_word_;
  ForEachWord(text, [&](size_t, std::string_view word) {
    const auto it = by_word_.find(word);
    if (it != by_word_.end()) found.insert(found.end(), it->second.begin(), it->second.end());
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::optional<std::string> Translator::Translate(std::string_view text) const {
  if (text.size() <= kWholeBytes) {
    Covering covering(*this);
    return covering.Translate(text);
  }
  // One character stands for the middle; it must end up in a hole, which is copied.
  const std::string_view head = text.substr(0, BorderBefore(text, kEndBytes));
  const std::string_view tail = text.substr(BorderBefore(text, text.size() - kEndBytes));
  const std::string_view middle = text.substr(head.size(), text.size() - head.size() - tail.size());
  constexpr std::string_view kMarks = "\x01\x02\x03\x04\x05\x06";
  const auto mark = std::find_if(kMarks.begin(), kMarks.end(), [&](char c) {
    return head.find(c) == std::string_view::npos && tail.find(c) == std::string_view::npos;
  });
  if (mark == kMarks.end()) return std::nullopt;
  std::string shortened(head);
  shortened += *mark;
  shortened += tail;
  Covering covering(*this);
  auto translated = covering.Translate(shortened);
  if (!translated) return std::nullopt;
  const size_t at = translated->find(*mark);
  if (at == std::string::npos || translated->find(*mark, at + 1) != std::string::npos) return std::nullopt;
  return translated->replace(at, 1, middle);
}

}  // namespace warpscope::lang
