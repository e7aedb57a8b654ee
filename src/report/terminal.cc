#include "report/terminal.h"

#include <algorithm>

#include "lang/translate.h"
#include "report/text.h"

namespace warpscope::report {

std::string Terminal::Paint(std::string_view text, Ink ink) const {
  if (!color || ink == Ink::kPlain || text.empty()) return std::string(text);
  // SGR codes of the eight basic colours: themes map them to readable shades, light or dark.
  std::string_view code;
  switch (ink) {
    case Ink::kPlain: break;
    case Ink::kBold: code = "1"; break;
    case Ink::kDim: code = "2"; break;
    case Ink::kGood: code = "32"; break;
    case Ink::kWarn: code = "33"; break;
    case Ink::kBad: code = "31"; break;
    case Ink::kCommand: code = "36"; break;
  }
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string Terminal::Say(std::string_view english) const { return lang::Translate(language, english); }

void AppendWrapped(std::string& out, const Terminal& terminal, std::string_view first, std::string_view rest,
                   std::string_view text, Ink ink) {
  const size_t indent = std::max(Width(first), Width(rest));
  const size_t room = terminal.columns > indent + 10 ? terminal.columns - indent : 10;
  bool at_first = true;
  for (const std::string& line : Wrap(Clean(text, terminal.utf8), room)) {
    out += at_first ? first : rest;
    out += terminal.Paint(line, ink);
    out += '\n';
    at_first = false;
  }
}

}  // namespace warpscope::report
