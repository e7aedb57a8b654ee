// Reader: lines into matches. What a log says is judged in diagnosis.cc.
#include <algorithm>

#include "explain/diagnosis.h"
#include "explain/explain.h"
#include "explain/text/anchors.h"
#include "explain/text/pattern.h"

namespace warpscope::explain {
namespace {

struct Pattern {
  uint32_t entry;
  std::string_view text;
  bool is_line;     // "^": counts only where it is a whole line, as words that texts hold by chance
  bool is_general;  // "?": counts only where nothing else is recognised in the line
};

// So many letters of a pattern are looked for; what begins with them is compared as a whole. More would make the table
// of the search larger than the cache, fewer would stop at words that many harmless lines hold.
constexpr size_t kHeadBytes = 16;

// All patterns of the catalogue, found by their first letters; built once.
struct Index {
  std::vector<Pattern> patterns;
  std::unique_ptr<Anchors> anchors;

  Index() {
    const auto catalogue = Catalogue();
    std::vector<std::string_view> heads;
    for (uint32_t entry = 0; entry < catalogue.size(); ++entry) {
      for (const std::string_view text : Lines(catalogue[entry]->patterns)) {
        const bool is_line = text.starts_with('^'), is_general = text.starts_with('?');
        patterns.push_back({entry, text.substr(is_line || is_general ? 1 : 0), is_line, is_general});
        heads.push_back(LiteralHead(patterns.back().text).substr(0, kHeadBytes));
      }
    }
    anchors = std::make_unique<Anchors>(heads);
  }
};

const Index& TheIndex() {
  static const Index kIndex;
  return kIndex;
}

// How much of the next line is searched for the end of a text that a terminal broke in two.
constexpr size_t kNextBytes = 120;

// "no CUDA out of memory error any more", "if err == cudaErrorNotReady": talk about an error is none. Only words
// directly before it count, and none before a colon, after which messages begin.
bool IsDenied(std::string_view text, size_t at) {
  constexpr size_t kBack = 40;
  constexpr std::string_view kWords[] = {"no",       "not",      "without", "avoid", "avoids", "avoiding", "prevent",
                                         "prevents", "never",    "if",      "fixed", "fixes",  "fix",      "resolve",
                                         "resolves", "resolved", "except",  "case",  "handle", "handles",  "catch",
                                         "instead",  "ignore",   "!=",      "=="};
  std::string_view before = text.substr(at > kBack ? at - kBack : 0, std::min(at, kBack));
  const size_t colon = before.find_last_of(":;|>");
  if (colon != std::string_view::npos) before.remove_prefix(colon + 1);
  // "err == 0. Can't allocate": what is denied ends with its sentence.
  if (const size_t stop = before.rfind(". "); stop != std::string_view::npos) before.remove_prefix(stop + 2);
  for (int words = 0; words < 4 && !before.empty(); ++words) {
    while (!before.empty() && (before.back() == ' ' || before.back() == '(' || before.back() == '"'))
      before.remove_suffix(1);
    const size_t space = before.find_last_of(" (");
    const std::string_view word = space == std::string_view::npos ? before : before.substr(space + 1);
    for (const std::string_view denial : kWords) {
      if (EqualsNoCase(word, denial)) return true;
    }
    before = space == std::string_view::npos ? std::string_view() : before.substr(0, space);
  }
  return false;
}

struct Candidate {
  uint32_t entry;
  PatternMatch match;
  const std::string* text;
  bool is_general;
};

// Lines from the first on, as one. `is_broken`: by the edge of a terminal, so that no blank stands where they meet.
std::string Joined(const std::deque<CleanLine>& lines, bool is_broken) {
  std::string text = lines.front().text;
  const size_t most = text.size() + kWindowBytes, columns = lines.front().unbroken_bytes;
  for (size_t i = 1; i < lines.size() && text.size() < most; ++i) {
    // A line that is one byte short lost a blank at its beginning.
    const bool has_blank = lines[i - 1].unbroken_bytes != columns && lines[i - 1].unbroken_bytes + 1 != columns;
    if (!is_broken || has_blank || lines[i].unbroken_bytes + 1 == columns) text += ' ';
    text += lines[i].text;
  }
  return text;
}

// The lines are one text that a terminal broke: several as wide as the first, or a number that stands across the edge
// ("14.5" ends the line, "7 GiB" begins the next).
bool IsWrapped(const std::deque<CleanLine>& lines) {
  const size_t columns = lines.front().unbroken_bytes;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (size_t i = 1; i < lines.size() && !lines[i].has_prefix; ++i) {
    if (lines[i].unbroken_bytes == columns) return true;
    const std::string& before = lines[i - 1].text;
    if (lines[i - 1].unbroken_bytes != columns || before.size() < 2) return false;
    const bool ends = is_digit(before.back()) || (before.back() == '.' && is_digit(before[before.size() - 2]));
    if (ends && is_digit(lines[i].text.front())) return true;
  }
  return false;
}

}  // namespace

struct Reader::Seen {
  uint64_t line = 0;
  uint64_t last_line = 0;
  uint64_t count = 0;
  std::vector<Match> matches;
};

Reader::Reader() = default;
Reader::~Reader() = default;

void Reader::Feed(std::string_view bytes) { Append(decoder_.Decode(bytes)); }

void Reader::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t room = kLineBytes - line_.size();
    // No further than the line can grow: what lies behind is searched when it comes, once.
    const std::string_view near = bytes.substr(0, room + 1);
    const size_t end = std::min(near.find('\n'), near.find('\r'));  // progress bars end lines with \r
    const size_t taken = std::min({end, bytes.size(), room});
    line_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (line_.size() >= kLineBytes || (!bytes.empty() && (bytes[0] == '\n' || bytes[0] == '\r'))) {
      const bool whole = !bytes.empty() && (bytes[0] == '\n' || bytes[0] == '\r');
      EndLine();
      if (!whole) continue;
      if (bytes[0] == '\n') ++line_number_;
      bytes.remove_prefix(1);
    }
  }
}

void Reader::EndLine() {
  CleanLine line = Clean(line_);
  line_.clear();
  if (line.text.empty()) return;
  ++lines_with_text_;
  held_.push_back(std::move(line));
  numbers_.push_back(line_number_);
  if (held_.size() > kLinesAhead) TakeFirst();
}

void Reader::TakeFirst() {
  const Index& index = TheIndex();
  const std::string& first = held_.front().text;
  std::vector<std::pair<uint32_t, size_t>> heads;
  const auto take = [&](uint32_t pattern, size_t at) {
    constexpr size_t kMostHeads = 4096;
    if (heads.size() < kMostHeads) heads.emplace_back(pattern, at);
  };
  const uint16_t end = index.anchors->Visit(first, take);
  // A line as wide as a terminal may be broken within a word.
  constexpr size_t kNarrowest = 60;
  const bool may_be_broken = held_.size() > 1 && held_.front().unbroken_bytes >= kNarrowest;
  if (held_.size() > 1) {
    const std::string_view further = std::string_view(held_[1].text).substr(0, kNextBytes);
    std::string with_blank(" ");
    with_blank += further;
    index.anchors->VisitOver(end, first.size(), with_blank, take);
    if (may_be_broken) index.anchors->VisitOver(end, first.size(), further, take);
  }
  bool is_known = false;
  if (!heads.empty()) {
    const std::string text = Joined(held_, false);
    const std::string unbroken = may_be_broken ? Joined(held_, true) : std::string();
    const bool is_wrapped = may_be_broken && IsWrapped(held_);
    std::vector<Candidate> candidates;
    for (const auto& [pattern, at] : heads) {
      const Pattern& row = index.patterns[pattern];
      const std::string* in = is_wrapped ? &unbroken : &text;
      auto match = MatchAt(row.text, *in, at);
      if (!match && may_be_broken) {
        in = is_wrapped ? &text : &unbroken;
        match = MatchAt(row.text, *in, at);
      }
      const bool is_line = match && match->begin == 0 && match->end == first.size();
      if (match && row.is_line && !is_line) continue;
      if (match && !IsDenied(text, at)) candidates.push_back({row.entry, *std::move(match), in, row.is_general});
    }
    const auto is_general = [](const Candidate& candidate) { return candidate.is_general; };
    if (!std::all_of(candidates.begin(), candidates.end(), is_general)) std::erase_if(candidates, is_general);
    // Of texts that overlap the longest counts: it is the most specific.
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      const size_t a_size = a.match.end - a.match.begin;
      const size_t b_size = b.match.end - b.match.begin;
      if (a_size != b_size) return a_size > b_size;
      return a.match.begin != b.match.begin ? a.match.begin < b.match.begin : a.entry < b.entry;
    });
    std::vector<Candidate> taken;
    for (Candidate& candidate : candidates) {
      const bool hidden = std::any_of(taken.begin(), taken.end(), [&](const Candidate& other) {
        return candidate.entry == other.entry ||
               (candidate.match.begin < other.match.end && other.match.begin < candidate.match.end);
      });
      if (!hidden) taken.push_back(std::move(candidate));
      if (taken.size() == 16) break;
    }
    is_known = !taken.empty();
    for (const Candidate& candidate : taken) {
      const size_t match_end = std::max(candidate.match.end, first.size());
      Keep(candidate.entry, std::string_view(*candidate.text).substr(candidate.match.begin, kWindowBytes),
           match_end - candidate.match.begin, candidate.match.captures);
    }
  }
  if (!is_known) TakeKernelLine(first);
  held_.pop_front();
  numbers_.pop_front();
}

void Reader::TakeKernelLine(const std::string& line) {
  const auto event = kernel_.Read(line);
  if (!event) return;
  static const auto kEntryOf = [](std::string_view id) {
    const auto catalogue = Catalogue();
    const auto found =
        std::find_if(catalogue.begin(), catalogue.end(), [&](const Entry* one) { return one->id == id; });
    return static_cast<uint32_t>(found - catalogue.begin());
  };
  static const uint32_t kMachine = kEntryOf("kernel.log_machine"), kOther = kEntryOf("kernel.log");
  Keep(event->severity == faults::Severity::kCritical ? kMachine : kOther,
       std::string_view(line).substr(0, kWindowBytes), line.size(), {});
}

void Reader::Keep(uint32_t entry, std::string_view window, size_t own_bytes,
                  const std::vector<std::string_view>& captures) {
  const uint64_t line = numbers_.front();
  auto& seen = seen_[entry];
  if (!seen) {
    seen = std::make_unique<Seen>();
    seen->line = line;
  }
  if (seen->last_line != line) ++seen->count;
  seen->last_line = line;
  // The first match of an entry is always kept, so that none is without.
  if (!seen->matches.empty() && (seen->matches.size() >= kMatchesKept || kept_ >= kMatchesInAll)) return;
  ++kept_;
  Match match;
  match.line = line;
  match.rank = held_.front().rank;
  match.window = std::string(window);
  match.own_bytes = std::min(own_bytes, match.window.size());
  for (const std::string_view capture : captures) match.captures.emplace_back(capture);
  seen->matches.push_back(std::move(match));
}

void Reader::EndText() {
  Append(decoder_.Finish());
  EndLine();
  while (!held_.empty()) TakeFirst();
  decoder_ = {};
  line_number_ = 1;
}

Diagnosis Reader::Finish() {
  EndText();
  Diagnosis diagnosis;
  diagnosis.lines = lines_with_text_;
  const auto catalogue = Catalogue();
  for (const auto& [index, seen] : seen_) {
    Finding finding = FindingOf(*catalogue[index], seen->matches);
    finding.line = seen->line;
    finding.count = seen->count;
    diagnosis.findings.push_back(std::move(finding));
  }
  Judge(&diagnosis);
  return diagnosis;
}

Diagnosis Explain(std::string_view text) {
  Reader reader;
  reader.Feed(text);
  return reader.Finish();
}

}  // namespace warpscope::explain
