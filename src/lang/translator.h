// Translator: finds the patterns that a text is made of and writes their renderings.
//
// A text is covered from left to right by entries: a sentence, then what rules append to it ("; most of the rest is
// {}", " in {}"), then the next sentence. Of all covers the one of fewest entries wins, then that with
// most literal bytes: so a name that holds words of ours is not taken apart. A sentence without a cover stays English
// as a whole.
//
// Cost: an index of words yields the candidates; the number of places where an entry may begin, the places tried and
// the total work are bounded, and the middle of very long texts is not looked at: linear in the text, with a bound on
// everything else. A text that exceeds a bound stays English.
// [MT] Values; Translate() is pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/catalogue.h"

namespace warpscope::lang {

class Translator {
 public:
  explicit Translator(std::vector<Entry> entries);
  Translator(const Translator&) = delete;  // by_word_ points into entries_
  Translator& operator=(const Translator&) = delete;

  // Absent: nothing of it is known.
  std::optional<std::string> Translate(std::string_view text) const;
  size_t size() const { return entries_.size(); }

 private:
  friend class Covering;
  std::vector<uint32_t> Candidates(std::string_view text) const;

  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, std::vector<uint32_t>> by_word_;  // words of entries_' literals
  std::vector<uint32_t> without_word_;
};

}  // namespace warpscope::lang
