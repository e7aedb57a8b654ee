// Logs and listings of GPU machines that are no recordings: what they are called, and what to give instead.
// [MT] Pure.
#pragma once

#include <optional>
#include <string_view>

namespace warpscope::import {

struct ForeignText {
  std::string_view what;    // behind "this is"
  std::string_view advice;  // sentences
};

// Nothing if the text is none of them.
std::optional<ForeignText> NameForeignText(std::string_view head);

}  // namespace warpscope::import
