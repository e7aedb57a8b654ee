// Quantity: numbers with units in the words of error messages. [MT] Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpscope::explain {

// "1,234.5" -> 1234.5; absent if it is no number or beyond 1e18.
std::optional<double> NumberOf(std::string_view text);
// "20.00 MiB", "3.37GiB", "0 bytes", "512M" -> bytes. KiB, K, kB ... are all taken as powers of 1024, as allocators
// write them; absent without a unit of memory.
std::optional<double> BytesOf(std::string_view text);
// The quantity that ends just before `words`, or begins just after it; absent if either is missing.
std::optional<double> BytesBefore(std::string_view text, std::string_view words);
std::optional<double> BytesAfter(std::string_view text, std::string_view words);
std::optional<double> NumberAfter(std::string_view text, std::string_view words);

std::string FormatBytes(double bytes);      // "2.00 GiB", "46.0 MiB"
std::string FormatSeconds(double seconds);  // "12.5 s", "10 min", "1 h 30 min"

}  // namespace warpscope::explain
