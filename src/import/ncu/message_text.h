// The words of a rule's message as the tool shows them. [MT] Pure function.
#pragma once

#include <string>
#include <string_view>

namespace warpscope::import::ncu {

// Links inside messages: "@section:Id:Label@" becomes Label, "@url:Label:Address@" becomes "Label (Address)".
std::string PlainMessage(std::string_view text);

}  // namespace warpscope::import::ncu
