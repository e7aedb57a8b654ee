// What in a line of text names somebody or something: hosts, people, addresses. [MT] Pure.
#pragma once

#include <cctype>
#include <cstddef>
#include <functional>
#include <string_view>

namespace warpscope::doctor {

// Bytes beyond ASCII are letters of names.
inline bool IsWordByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '-' || c == '_' || byte >= 0x80;
}
// Folders that hold one of each person; the name stands behind.
inline constexpr std::string_view kHomes[] = {"/home/", "/homes/", "/Users/", "/users/", "\\Users\\", "\\\\Users\\\\"};
// The word that begins at `at`, of letters, digits, "-", "_" and the given others.
std::string_view WordAt(std::string_view text, size_t at, std::string_view others = "");

// Names of hosts and people that the line itself tells to be such.
void LearnNames(std::string_view line, const std::function<void(std::string_view)>& host,
                const std::function<void(std::string_view)>& user);

// What begins at `at`, in bytes; 0 if it does not.
bool IsUuid(std::string_view text, size_t at);       // "8-4-4-4-12" hexadecimal digits
size_t Ip4Bytes(std::string_view text, size_t at);   // "10.1.2.3"; versions have fewer parts or larger numbers
size_t Ip6Bytes(std::string_view text, size_t at);   // "fe80::1ff:fe23"; not "::1"
size_t HostBytes(std::string_view text, size_t at);  // of a URL, or with a private domain; not of public documents

}  // namespace warpscope::doctor
