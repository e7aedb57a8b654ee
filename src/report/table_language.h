// A table in another language. [MT] Pure.
#pragma once

#include <cstdint>

#include "lang/language.h"
#include "view/table.h"

namespace warpscope::report {

// Short words in cells (a cause, a limiter): what programs compare stays as it is.
enum class Words : uint8_t { kKeep, kTranslate };

// Title, sentences and headings, and the short words of cells where asked for. Names of columns, of kernels and of all
// else that the input named stay.
void Translate(lang::Language language, Words words, view::Table& table);

}  // namespace warpscope::report
