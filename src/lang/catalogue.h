// Catalogue: the entries of a language as patterns with their renderings. docs/adding/language.md describes the file.
// [MT] Values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/pattern.h"

namespace warpscope::lang {

// How a rendering uses what filled a hole.
enum class Use : uint8_t {
  kVerbatim,  // {0}: a name, a number, code
  kPhrase,    // {0:t}: one of our own phrases; where it has no translation, neither has the whole
  kEither,    // {0:?}: translated if it is a phrase of ours, else copied
};

struct Part {
  std::string literal;  // stands before the hole
  size_t hole = 0;
  Use use = Use::kVerbatim;
};

struct Entry {
  Pattern pattern;
  std::vector<Part> parts;
  std::string tail;  // after the last part
};

// Lines "English<TAB>translation"; "=" as translation: stays as it is (code, names). "#" begins a comment. \n, \t and
// \\ are escapes. A hole {n:copy} stands for "1 copy" and "3 copies": such a line makes two entries. Malformed lines
// are left out and counted in `bad`.
std::vector<Entry> ParseCatalogue(std::string_view text, size_t* bad = nullptr);

// Words that rules replace in finished texts for devices of other vendors (rules/vendor_words.h): lines
// "set<TAB>English<TAB>theirs<TAB>translation<TAB>translation of theirs". All words of a set are replaced at once, and
// each entry that is changed by it exists once more. Set "prefix": a beginning that rules leave away.
struct WordSet {
  struct Word {
    std::string from, to, translated_from, translated_to;
  };
  std::string name;
  std::vector<Word> words;
};
std::vector<WordSet> ParseWordSets(std::string_view text);

// The entries of `text` and what the sets make of them. `other_form`: of an English sentence, where one entry stands
// for both (the ledger's singular); null: none.
using OtherForm = std::string (*)(std::string_view english);
std::vector<Entry> ParseCatalogueWith(std::string_view text, std::span<const WordSet> sets,
                                      OtherForm other_form = nullptr, size_t* bad = nullptr);

// "copy" -> "copies", as rules::Plural() writes it.
std::string PluralOf(std::string_view noun);

}  // namespace warpscope::lang
