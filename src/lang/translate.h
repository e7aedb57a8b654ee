// Translation of finished English texts. Whatever is not known stays as it is: names, numbers, commands and code are
// copied byte for byte, and a sentence is either translated as a whole or left alone.
// [MT] Pure functions; the catalogue is read once, on first use.
#pragma once

#include <string>
#include <string_view>

#include "lang/language.h"
#include "rules/finding.h"

namespace warpscope::lang {

// One text: a sentence, several of them, or a label. Linear in its length, whatever it holds.
std::string Translate(Language language, std::string_view text);

// Every text of a verdict that is ours: answer, labels, titles, evidence, actions, checks, ideas, abstentions, ledger,
// notes. Ids, subjects, commands, code and paths stay.
void Translate(Language language, rules::Verdict& verdict);

}  // namespace warpscope::lang
