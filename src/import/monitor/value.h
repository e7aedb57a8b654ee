// Values as monitors print them ("8.81 W", "20475 MiB", "16x", "Not Active", "[N/A]") and the times beside them.
// [MT] Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpscope::import::monitor {

std::string_view Trimmed(std::string_view text);
std::string Lower(std::string_view text);  // ASCII

// What a monitor prints where it has no value: "N/A", "[Not Supported]", "-", "ERR!" ... (formats.md 13).
bool IsNoValue(std::string_view text);

struct Value {
  std::optional<double> number;
  std::string_view unit;  // as printed: "W"; "" if none
  std::string_view text;  // the whole value, trimmed; "" for words without a value
  bool absent() const { return text.empty(); }
};
// Views into `text`. `default_unit`: of a number that has none of its own.
Value ParseValue(std::string_view text, std::string_view default_unit = {});

// 1 for "Active", "Enabled", "Yes", "On"; 0 for their opposites; absent for anything else.
std::optional<double> StateOf(std::string_view text);

// `number` `unit` in the catalogue's unit `to` ("watts", "bytes" ...); absent if they do not measure the same thing.
// "MB" is what NVIDIA's tools call a MiB.
std::optional<double> ConvertUnit(double number, std::string_view unit, std::string_view to);
// The catalogue's word for a printed unit: "W" -> "watts", with the factor to it. "" if it is not known.
struct UnitWord {
  std::string_view word;
  double factor = 1;
};
UnitWord UnitWordOf(std::string_view unit);
// "\u00B0C" -> "C": without the sign for degrees.
std::string_view WithoutDegrees(std::string_view unit);

// Dates as monitors print them, read as UTC because none of them tells its time zone:
// "Fri Jul  3 22:10:45 2026", "2026/07/03 22:10:45.123", "2026-07-03T22:10:45Z", "20260703 22:10:45".
std::optional<int64_t> ParseDateNs(std::string_view text);
// "22:10:45.123" -> nanoseconds since midnight.
std::optional<int64_t> ParseTimeOfDayNs(std::string_view text);

// "00000000:1b:00.0" of any spelling of a PCI address; "" if it is none.
std::string PciBusId(std::string_view text);

}  // namespace warpscope::import::monitor
