#include "lang/catalogue.h"

#include <algorithm>

namespace warpscope::lang {
namespace {

struct Line {
  std::string english, translated;
};

std::string Unescape(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const char next = text[++at];
    out += next == 'n' ? '\n' : next == 't' ? '\t' : next;
  }
  return out;
}

template <typename F>
void ForEachLine(std::string_view text, const F& visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (!line.empty() && line[0] != '#') visit(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::vector<std::string_view> Cells(std::string_view line) {
  std::vector<std::string_view> cells;
  for (size_t at = 0;;) {
    const size_t end = std::min(line.find('\t', at), line.size());
    cells.push_back(line.substr(at, end - at));
    if (end == line.size()) return cells;
    at = end + 1;
  }
}

bool IsWord(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Replaces `from` where it does not continue a word.
void Replace(std::string& text, std::string_view from, std::string_view to) {
  if (from.empty()) return;
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    const size_t end = at + from.size();
    const bool begins = at == 0 || !IsWord(text[at - 1]) || !IsWord(from.front());
    const bool ends = end == text.size() || !IsWord(text[end]) || !IsWord(from.back());
    if (!begins || !ends) {
      at = end;
      continue;
    }
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

// cudaEventRecord -> hipEventRecord, for a word that ends in "*".
void ReplaceStart(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
    const size_t next = at + from.size();
    if ((at > 0 && (IsWord(text[at - 1]) || text[at - 1] == '.')) || next >= text.size()) continue;
    if (text[next] >= 'A' && text[next] <= 'Z') text.replace(at, from.size(), to);
  }
}

Line In(const WordSet& set, Line line) {
  for (const WordSet::Word& word : set.words) {
    if (word.from.ends_with('*')) {
      const std::string_view from = std::string_view(word.from).substr(0, word.from.size() - 1);
      ReplaceStart(line.english, from, word.to);
      ReplaceStart(line.translated, from, word.to);
      continue;
    }
    Replace(line.english, word.from, word.to);
    Replace(line.translated, word.translated_from, word.translated_to);
  }
  return line;
}

Line WithoutPrefix(const WordSet& set, Line line) {
  for (const WordSet::Word& word : set.words) {
    if (!line.english.starts_with(word.from) || !line.translated.starts_with(word.translated_from)) continue;
    line.english.erase(0, word.from.size());
    line.translated.erase(0, word.translated_from.size());
    if (!line.english.empty() && line.english[0] >= 'a' && line.english[0] <= 'z')
      line.english[0] = static_cast<char>(line.english[0] - 'a' + 'A');
  }
  return line;
}

// {n:copy} -> "{n} copy" and "{n} copies", each such hole on its own.
void SpellNouns(const Line& line, std::vector<Line>& out) {
  const size_t at = line.english.find("{n:");
  const size_t end = at == std::string::npos ? at : line.english.find('}', at);
  if (end == std::string::npos) {
    out.push_back(line);
    return;
  }
  const std::string noun = line.english.substr(at + 3, end - at - 3);
  for (const std::string& form : {noun, PluralOf(noun)}) {
    Line spelled = line;
    spelled.english.replace(at, end + 1 - at, "{n} " + form);
    SpellNouns(spelled, out);
  }
}

std::optional<Entry> Compile(const Line& line) {
  auto pattern = Pattern::Parse(line.english);
  if (!pattern) return std::nullopt;
  Entry entry{std::move(*pattern), {}, {}};
  const size_t holes = entry.pattern.holes().size();
  if (line.translated == "=") {
    for (size_t i = 0; i < holes; ++i) entry.parts.push_back({entry.pattern.literals()[i], i, Use::kVerbatim});
    entry.tail = entry.pattern.literals().back();
    return entry;
  }
  std::string literal;
  const std::string_view text = line.translated;
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
    if (c == '}' || end == std::string_view::npos || end == at + 1 || text[at + 1] < '0' || text[at + 1] > '9')
      return std::nullopt;
    const auto hole = static_cast<size_t>(text[at + 1] - '0');
    const std::string_view use = text.substr(at + 2, end - at - 2);
    if (hole >= holes || !(use.empty() || use == ":t" || use == ":?")) return std::nullopt;
    entry.parts.push_back({std::move(literal), hole,
                           use.empty()   ? Use::kVerbatim
                           : use == ":t" ? Use::kPhrase
                                         : Use::kEither});
    literal.clear();
    at = end;
  }
  entry.tail = std::move(literal);
  return entry;
}

}  // namespace

std::string PluralOf(std::string_view noun) {
  std::string text(noun);
  const bool y = text.size() > 1 && text.back() == 'y' &&
                 std::string_view("aeiou").find(text[text.size() - 2]) == std::string_view::npos;
  if (y) return text.substr(0, text.size() - 1) + "ies";
  return text + (text.ends_with("s") || text.ends_with("ch") ? "es" : "s");
}

std::vector<WordSet> ParseWordSets(std::string_view text) {
  std::vector<WordSet> sets;
  ForEachLine(text, [&](std::string_view line) {
    const auto cells = Cells(line);
    if (cells.size() != 5) return;
    if (sets.empty() || sets.back().name != cells[0]) sets.push_back({std::string(cells[0]), {}});
    sets.back().words.push_back({Unescape(cells[1]), Unescape(cells[2]), Unescape(cells[3]), Unescape(cells[4])});
  });
  return sets;
}

std::vector<Entry> ParseCatalogueWith(std::string_view text, std::span<const WordSet> sets, OtherForm other_form,
                                      size_t* bad) {
  std::vector<Entry> entries;
  std::vector<Line> spelled;
  ForEachLine(text, [&](std::string_view raw) {
    const auto cells = Cells(raw);
    if (cells.size() != 2 || cells[0].empty()) {
      if (bad != nullptr) ++*bad;
      return;
    }
    const Line line{Unescape(cells[0]), Unescape(cells[1])};
    std::vector<Line> forms = {line};
    for (const WordSet& set : sets) {
      if (set.name == "prefix") continue;
      Line theirs = In(set, line);
      if (theirs.english != line.english) forms.push_back(std::move(theirs));
    }
    for (const WordSet& set : sets) {
      if (set.name != "prefix") continue;
      for (size_t i = 0, count = forms.size(); i < count; ++i) {
        Line shorter = WithoutPrefix(set, forms[i]);
        if (shorter.english != forms[i].english) forms.push_back(std::move(shorter));
      }
    }
    if (other_form != nullptr) {
      Line other{other_form(line.english), line.translated};
      if (other.english != line.english) forms.push_back(std::move(other));
    }
    spelled.clear();
    for (const Line& form : forms) SpellNouns(form, spelled);
    for (const Line& one : spelled) {
      auto entry = Compile(one);
      if (entry) entries.push_back(std::move(*entry));
      else if (bad != nullptr) ++*bad;
    }
  });
  return entries;
}

std::vector<Entry> ParseCatalogue(std::string_view text, size_t* bad) {
  return ParseCatalogueWith(text, {}, nullptr, bad);
}

}  // namespace warpscope::lang
