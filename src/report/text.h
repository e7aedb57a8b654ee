// Text on a terminal: made harmless, measured in columns, cut and wrapped.
// [MT] Pure. Every string of a recorded file passes Clean() before it is printed; the other functions expect cleaned
// text and never return more columns than asked for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::report {

// Control bytes (C0, DEL, C1), direction overrides, zero-width and line-separator characters become visible escapes
// ("\x1b", "\u202e"), so that no name can move the cursor, recolour or reorder the screen. Bytes that are not UTF-8
// become U+FFFD. Without `utf8` everything beyond ASCII becomes "?".
std::string Clean(std::string_view text, bool utf8);

// Columns that cleaned text takes: 0 for combining marks, 2 for wide East Asian characters and emoji.
size_t Width(std::string_view text);

// At most `columns` wide, cut in the middle with an ellipsis: kernel names differ at both ends.
std::string CutMiddle(std::string_view text, size_t columns, bool utf8);

// Lines of at most `columns`, broken at spaces, inside words only where a word alone is longer.
std::vector<std::string> Wrap(std::string_view text, size_t columns);
// Likewise, but a word that is longer than a line stays whole on a line of its own: a path can be copied.
std::vector<std::string> WrapWholeWords(std::string_view text, size_t columns);

std::string PadRight(std::string text, size_t columns);
std::string PadLeft(std::string text, size_t columns);

}  // namespace warpscope::report
