// Numbers as people read them. The one place where a quantity becomes text for the terminal; JSON and CSV carry raw
// values in the unit that their column names.
// [MT] Pure functions; the same value gives the same text on every machine and in every locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warpscope::view {

std::string FormatCount(int64_t value);                // "1,234,567"
std::string FormatDurationNs(double ns);               // "0 ns", "456 ns", "1.23 us", "12.4 ms", "1.20 s", "2 min 05 s"
std::string FormatMs(double ms);                       // FormatDurationNs of milliseconds
std::string FormatBytes(double bytes);                 // binary units: "512 B", "1.50 KiB", "64.0 MiB"
std::string FormatBytesPerSecond(double bytes_per_s);  // decimal units, as link speeds are given: "25.3 GB/s"
std::string FormatFlopPerSecond(double flop_per_s);    // "61.2 TFLOP/s"
std::string FormatPct(double pct);                     // one decimal below 100: "3.4 %", "36.2 %", "<0.1 %", "100 %"
std::string FormatChangePct(double pct);               // with its sign: "+3.4 %", "-36.2 %", "0.0 %"
std::string FormatNumber(double value);                // three significant digits, no exponent below 1e15

// "-" for what is absent, else `format` of it.
template <typename T, typename F>
std::string OrDash(const std::optional<T>& value, F format) {
  return value ? format(*value) : std::string("-");
}

}  // namespace warpscope::view
