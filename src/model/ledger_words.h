// The grammar of the ledger's sentences, which are written for many. [MT] Pure.
#pragma once

#include <string>
#include <string_view>

namespace warpscope::model {

// A sentence of ledger.def for a count of 1: "{} files end" -> "{} file ends".
std::string InSingular(std::string_view sentence);

}  // namespace warpscope::model
