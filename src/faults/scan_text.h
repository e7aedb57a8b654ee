// Small steps over the text of one log line: every Take/Skip moves the view on only where it fits. [MT] Pure.
// Nothing here obeys the locale, throws, or looks beyond the view.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpscope::faults {

constexpr bool IsDigit(char byte) { return byte >= '0' && byte <= '9'; }
constexpr bool IsHex(char byte) {
  return IsDigit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}
constexpr bool IsWordByte(char byte) {
  return IsDigit(byte) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}
constexpr char Lower(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte; }

inline bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
// ASCII letters in any case.
bool HasNoCase(std::string_view text, std::string_view part);

// True, and past it, if `text` begins with `word`.
bool Skip(std::string_view& text, std::string_view word);
void SkipSpaces(std::string_view& text);
std::string_view Trim(std::string_view text);

// Digits at the start; absent if there are none or they exceed 64 bits.
std::optional<uint64_t> TakeNumber(std::string_view& text);
// Hex digits at the start, without 0x; absent if there are none or more than 16.
std::optional<uint64_t> TakeHex(std::string_view& text);
// The text up to `end`, which is passed as well; absent, and nothing moved, if it does not come.
std::optional<std::string_view> TakeUntil(std::string_view& text, std::string_view end);
// A word without spaces, and the spaces behind it.
std::string_view TakeWord(std::string_view& text);

// What follows the first `part` of `text`; absent if it is not in it.
std::optional<std::string_view> After(std::string_view text, std::string_view part);
// The number right behind the first `part`.
std::optional<uint64_t> NumberAfter(std::string_view text, std::string_view part);

}  // namespace warpscope::faults
