#include "import/monitor/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace warpscope::import::monitor {
namespace {

constexpr std::string_view kNoValueWords[] = {"",
                                              "-",
                                              "--",
                                              "n/a",
                                              "na",
                                              "none available",
                                              "not supported",
                                              "function not found",
                                              "unknown error",
                                              "err!",
                                              "unknown",
                                              "not available",
                                              "requested functionality has been deprecated",
                                              "gpu requires reset",
                                              "insufficient permissions",
                                              "not found",
                                              "nan",
                                              "inf",
                                              "-inf",
                                              "gpu is lost"};

struct UnitRow {
  std::string_view printed;  // lower case
  UnitWord to;
};
constexpr double kKi = 1024, kMi = kKi * 1024, kGi = kMi * 1024;
constexpr UnitRow kUnits[] = {
    {"%", {"pct", 1}},
    {"w", {"watts", 1}},
    {"mw", {"watts", 1e-3}},
    {"c", {"celsius", 1}},
    {"mhz", {"mhz", 1}},
    {"ghz", {"mhz", 1e3}},
    {"hz", {"mhz", 1e-6}},
    {"b", {"bytes", 1}},
    {"bytes", {"bytes", 1}},
    {"kib", {"bytes", kKi}},
    {"mib", {"bytes", kMi}},
    {"gib", {"bytes", kGi}},
    {"kb", {"bytes", kKi}},
    {"mb", {"bytes", kMi}},
    {"gb", {"bytes", kGi}},
    {"kb/s", {"bytes_per_s", 1e3}},
    {"mb/s", {"bytes_per_s", 1e6}},
    {"gb/s", {"bytes_per_s", 1e9}},
    {"b/s", {"bytes_per_s", 1}},
    {"ns", {"ns", 1}},
    {"us", {"ns", 1e3}},
    {"ms", {"ns", 1e6}},
    {"s", {"ns", 1e9}},
    {"mv", {"volts", 1e-3}},
    {"v", {"volts", 1}},
    {"j", {"joules", 1}},
    {"mj", {"joules", 1e-3}},
    {"ratio", {"pct", 100}},
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A whole number of `digits` digits (or of one and a blank before it); -1 if it is none.
int Number(std::string_view text, size_t at, size_t digits) {
  if (at + digits > text.size()) return -1;
  int value = 0;
  for (size_t i = at; i < at + digits; ++i) {
    if (text[i] == ' ' && i + 1 < at + digits) continue;
    if (!IsDigit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

// Days from 1970-01-01 of a date of the proleptic Gregorian calendar (years from March, eras of 400 years).
std::optional<int64_t> Days(int year, int month, int day) {
  if (year < 1970 || year > 2261 || month < 1 || month > 12 || day < 1 || day > 31) return std::nullopt;
  const int64_t y = month <= 2 ? year - 1 : year;
  const int64_t era = y / 400, of_era = y % 400;
  const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int MonthOf(std::string_view name) {
  constexpr std::array<std::string_view, 12> kNames = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? 0 : static_cast<int>(found - kNames.begin()) + 1;
}

std::optional<int64_t> At(int year, int month, int day, std::string_view time) {
  const auto days = Days(year, month, day);
  const auto of_day = ParseTimeOfDayNs(time);
  if (!days || !of_day) return std::nullopt;
  return *days * 86'400'000'000'000 + *of_day;
}

}  // namespace

std::string_view Trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool IsNoValue(std::string_view text) {
  text = Trimmed(text);
  if (text.size() > 1 && text.front() == '[' && text.back() == ']') text = Trimmed(text.substr(1, text.size() - 2));
  if (text.size() > 64) return false;
  const std::string lower = Lower(text);
  return std::find(std::begin(kNoValueWords), std::end(kNoValueWords), lower) != std::end(kNoValueWords);
}

Value ParseValue(std::string_view text, std::string_view default_unit) {
  text = Trimmed(text);
  if (IsNoValue(text)) return {};
  Value value;
  value.text = text;
  const std::string_view digits = text.front() == '+' ? text.substr(1) : text;
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return value;
  const std::string_view rest(end, static_cast<size_t>(digits.data() + digits.size() - end));
  // "0x4" is a bit mask, "580.159.04" a version: no numbers.
  if (!rest.empty() && (rest.front() == '.' || rest.front() == ':' || (rest.front() == 'x' && rest.size() > 1)))
    return value;
  value.number = number;
  value.unit = Trimmed(rest);
  if (value.unit.empty()) value.unit = default_unit;
  return value;
}

std::optional<double> StateOf(std::string_view text) {
  const std::string word = Lower(Trimmed(text).substr(0, 32));
  for (const char* yes : {"active", "enabled", "yes", "on", "true", "1", "pending"}) {
    if (word == yes) return 1;
  }
  for (const char* no : {"not active", "disabled", "no", "off", "false", "0", "none"}) {
    if (word == no) return 0;
  }
  return std::nullopt;
}

UnitWord UnitWordOf(std::string_view unit) {
  if (unit.size() > 12) return {};
  const std::string lower = Lower(unit);
  for (const UnitRow& row : kUnits) {
    if (row.printed == lower) return row.to;
  }
  return {};
}

std::string_view WithoutDegrees(std::string_view unit) {
  constexpr std::string_view kSign = "\xC2\xB0";
  return unit.starts_with(kSign) ? unit.substr(kSign.size()) : unit;
}

std::optional<double> ConvertUnit(double number, std::string_view unit, std::string_view to) {
  if (to.empty()) return number;
  if (unit.empty() || unit == to) return number;
  if (to == "celsius") unit = WithoutDegrees(unit);
  constexpr double kFreezing = 32, kPerDegree = 5.0 / 9.0;
  if (to == "celsius" && (unit == "F" || unit == "f")) return (number - kFreezing) * kPerDegree;
  const UnitWord word = UnitWordOf(unit);
  if (word.word != to) return std::nullopt;
  return number * word.factor;
}

std::optional<int64_t> ParseTimeOfDayNs(std::string_view text) {
  const int hour = Number(text, 0, 2), minute = Number(text, 3, 2), second = Number(text, 6, 2);
  if (text.size() < 8 || text[2] != ':' || text[5] != ':' || hour < 0 || minute < 0 || second < 0) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  int64_t ns = (int64_t{hour} * 3600 + minute * 60 + second) * 1'000'000'000;
  if (text.size() > 8 && (text[8] == '.' || text[8] == ',')) {
    int64_t unit = 100'000'000;
    for (size_t at = 9; at < text.size() && IsDigit(text[at]); ++at, unit /= 10) ns += unit * (text[at] - '0');
  }
  return ns;
}

std::optional<int64_t> ParseDateNs(std::string_view text) {
  text = Trimmed(text);
  if (text.size() >= 23 && MonthOf(text.substr(4, 3)) > 0) {  // ctime: "Fri Jul  3 22:10:45 2026"
    return At(Number(text, 20, 4), MonthOf(text.substr(4, 3)), Number(text, 8, 2), text.substr(11, 8));
  }
  if (text.size() >= 17 && text[8] == ' ') {  // "20260703 22:10:45"
    return At(Number(text, 0, 4), Number(text, 4, 2), Number(text, 6, 2), Trimmed(text.substr(9)));
  }
  if (text.size() >= 19 && (text[4] == '/' || text[4] == '-') && text[7] == text[4]) {
    return At(Number(text, 0, 4), Number(text, 5, 2), Number(text, 8, 2), text.substr(11));
  }
  return std::nullopt;
}

std::string PciBusId(std::string_view text) {
  text = Trimmed(text);
  std::string id = Lower(text.substr(0, 24));
  const size_t dot = id.rfind('.'), first = id.find(':');
  if (dot == std::string::npos || first == std::string::npos || dot + 2 != id.size()) return {};
  for (const char c : id) {
    if (!IsDigit(c) && !(c >= 'a' && c <= 'f') && c != ':' && c != '.') return {};
  }
  const size_t colons = static_cast<size_t>(std::count(id.begin(), id.end(), ':'));
  if (colons == 1) id = "0000:" + id;
  else if (colons != 2) return {};
  const size_t domain = id.find(':');
  if (id.size() - domain != 8 || domain > 8) return {};
  return std::string(8 - domain, '0') + id;
}

}  // namespace warpscope::import::monitor
