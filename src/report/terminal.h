// What a terminal can do, and the few ways in which we mark text on it. [MT] Values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lang/language.h"

namespace warpscope::report {

enum class Ink : uint8_t { kPlain, kBold, kDim, kGood, kWarn, kBad, kCommand };

struct Terminal {
  size_t columns = 100;
  bool utf8 = false;
  bool color = false;
  lang::Language language = lang::Language::kEnglish;

  // `text` in `ink`; unchanged without colour. Never part of a width: pad first, paint then.
  std::string Paint(std::string_view text, Ink ink) const;
  // Words of ours in the language of the terminal; texts of the input never pass here.
  std::string Say(std::string_view english) const;
  std::string_view dot() const { return utf8 ? "\xC2\xB7" : "|"; }
  std::string_view arrow() const { return utf8 ? "\xE2\x86\x92" : "->"; }
  std::string_view ellipsis() const { return utf8 ? "\xE2\x80\xA6" : "..."; }
  std::string_view bar() const { return utf8 ? "\xE2\x94\x82" : "|"; }
};

// Appends `text`, cleaned and wrapped: the first line after `first`, the others after `rest`, each within the
// terminal's width.
void AppendWrapped(std::string& out, const Terminal& terminal, std::string_view first, std::string_view rest,
                   std::string_view text, Ink ink = Ink::kPlain);

}  // namespace warpscope::report
