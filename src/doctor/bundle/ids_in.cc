#include "doctor/bundle/ids_in.h"

#include <algorithm>
#include <cctype>

#include "doctor/bundle/names_in.h"

namespace warpscope::doctor {
namespace {

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsHex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// `groups` of `size` digits with one sign between them, and nothing of the kind behind.
size_t GroupedBytes(std::string_view text, size_t at, size_t size, size_t groups, std::string_view signs) {
  const size_t bytes = size * groups + groups - 1;
  if (at + bytes > text.size() || signs.find(text[at + size]) == std::string_view::npos) return 0;
  const char sign = text[at + size];
  for (size_t i = 0; i < bytes; ++i) {
    const bool between = i % (size + 1) == size;
    if (between ? text[at + i] != sign : !IsHex(text[at + i])) return 0;
  }
  const bool goes_on = at + bytes < text.size() && (IsHex(text[at + bytes]) || text[at + bytes] == sign) &&
                       !(text[at + bytes] == '.' && (at + bytes + 1 == text.size() || !IsHex(text[at + bytes + 1])));
  return goes_on ? 0 : bytes;
}

bool IsBase64(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/' || c == '='; }

// Capitals, small letters and digits in such numbers as chance gives them; names and paths have few of some.
bool IsMixed(std::string_view word) {
  size_t upper = 0, lower = 0, digits = 0;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    upper += std::isupper(byte) != 0 ? 1U : 0U;
    lower += std::islower(byte) != 0 ? 1U : 0U;
    digits += std::isdigit(byte) != 0 ? 1U : 0U;
  }
  return upper * 10 >= word.size() && lower * 10 >= word.size() && digits > 0;
}

}  // namespace

size_t LinkIdBytes(std::string_view text, size_t at) {
  constexpr size_t kEui48 = 6, kEui64 = 8;
  for (const size_t groups : {kEui64, kEui48}) {
    if (const size_t bytes = GroupedBytes(text, at, 2, groups, ":-"); bytes > 0) return bytes;
  }
  if (const size_t bytes = GroupedBytes(text, at, 4, 4, ":.-"); bytes > 0) return bytes;
  return GroupedBytes(text, at, 4, 3, ".");
}

size_t HexIdBytes(std::string_view text, size_t at) {
  const bool has_prefix = text.substr(at, 2) == "0x" || text.substr(at, 2) == "0X";
  const size_t begin = at + (has_prefix ? 2 : 0);
  size_t end = begin;
  bool has_letter = false, has_digit = false;
  for (; end < text.size() && IsHex(text[end]); ++end) {
    has_digit = has_digit || IsDigit(text[end]);
    has_letter = has_letter || !IsDigit(text[end]);
  }
  if (end < text.size() &&
      (IsWordByte(text[end]) || (text[end] == '.' && end + 1 < text.size() && IsHex(text[end + 1]))))
    return 0;
  constexpr size_t kMac = 12, kEui64 = 16, kLong = 32, kLongest = 128;
  const size_t size = end - begin;
  if (!has_digit || !has_letter) return 0;
  if (size >= kLong && size <= kLongest) return end - at;
  if (size == kMac && !has_prefix) return end - at;
  // Registers of a machine check are as long, and stand in for nobody.
  const bool is_register = text.find("Hardware Error") != std::string_view::npos ||
                           text.find("Machine Check") != std::string_view::npos ||
                           text.find("mce: ") != std::string_view::npos || text.find("MCE: ") != std::string_view::npos;
  if (has_prefix || is_register) return 0;
  const std::string_view head = text.substr(begin, 4);
  return size == kEui64 && head != "0000" && head != "ffff" && head != "FFFF" ? end - at : 0;
}

size_t AddressNameBytes(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
  if (end == at || IsDigit(text[at]) || end >= text.size()) return 0;
  for (int part = 0; part < 4; ++part) {
    if (end >= text.size() || text[end] != '-') return 0;
    const size_t begin = ++end;
    while (end < text.size() && IsDigit(text[end]) && end - begin < 3) ++end;
    if (end == begin) return 0;
  }
  return end < text.size() && IsWordByte(text[end]) ? 0 : end - at;
}

size_t BareSecretBytes(std::string_view text, size_t at) {
  constexpr std::string_view kFingerprint = "SHA256:";
  constexpr size_t kAwsSecret = 40, kLong = 100;
  const size_t begin = text.substr(at).starts_with(kFingerprint) ? at + kFingerprint.size() : at;
  size_t end = begin;
  while (end < text.size() && IsBase64(text[end])) ++end;
  const size_t size = end - begin;
  const bool stands_alone =
      (begin == 0 || !IsWordByte(text[begin - 1])) && (end >= text.size() || !IsWordByte(text[end]));
  if (!stands_alone || text[begin] == '/') return 0;
  const bool is_sized = size == kAwsSecret || size >= kLong || (begin > at && size >= kAwsSecret);
  return is_sized && IsMixed(text.substr(begin, size)) ? end - at : 0;
}

}  // namespace warpscope::doctor
