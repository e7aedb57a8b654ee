// TextKind: is this a text at all. Programs, archives and databases hold letters too, and what stands in them is no
// fact of a machine and no message of a program. [MT] Pure.
#pragma once

#include <string_view>

namespace warpscope {

struct BinaryKind {
  std::string_view what;  // "a zip archive"; "" for a text
  std::string_view next;  // how to get the text out of it; "" where there is none
  explicit operator bool() const { return !what.empty(); }
};

// By the first bytes, or by the share of control bytes in samples of `bytes` (decoded, so no UTF-16). A log with a
// damaged part, such as the zeros that a lost power leaves, is a text.
BinaryKind BinaryKindOf(std::string_view bytes);

}  // namespace warpscope
