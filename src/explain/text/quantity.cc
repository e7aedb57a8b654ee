#include "explain/text/quantity.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "explain/text/pattern.h"

namespace warpscope::explain {
namespace {

constexpr double kKibi = 1024;

bool IsNumberByte(char c) { return (c >= '0' && c <= '9') || c == '.' || c == ','; }

std::optional<double> UnitOf(std::string_view unit) {
  struct Row {
    std::string_view name;
    int power;
  };
  constexpr Row kUnits[] = {{"b", 0},   {"byte", 0}, {"bytes", 0}, {"k", 1},   {"kb", 1},
                            {"kib", 1}, {"m", 2},    {"mb", 2},    {"mib", 2}, {"g", 3},
                            {"gb", 3},  {"gib", 3},  {"t", 4},     {"tb", 4},  {"tib", 4}};
  for (const Row& row : kUnits) {
    if (EqualsNoCase(unit, row.name)) return std::pow(kKibi, row.power);
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> NumberOf(std::string_view text) {
  std::string digits;
  for (const char c : text.substr(0, 40)) {
    if (c != ',') digits.push_back(c);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end == digits.data() || !(std::abs(value) <= 1e18)) return std::nullopt;
  return value;
}

std::optional<double> BytesOf(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && IsNumberByte(text[end])) ++end;
  const auto number = NumberOf(text.substr(0, end));
  if (!number || end == 0) return std::nullopt;
  if (end < text.size() && text[end] == ' ') ++end;
  size_t stop = end;
  while (stop < text.size() && Lower(text[stop]) >= 'a' && Lower(text[stop]) <= 'z') ++stop;
  const auto unit = UnitOf(text.substr(end, stop - end));
  if (!unit) return std::nullopt;
  return *number * *unit;
}

std::optional<double> BytesBefore(std::string_view text, std::string_view words) {
  for (size_t at = FindWord(text, words); at != std::string_view::npos; at = FindWord(text, words, at + 1)) {
    size_t end = at;
    while (end > 0 && text[end - 1] == ' ') --end;
    size_t begin = end;
    while (begin > 0 && Lower(text[begin - 1]) >= 'a' && Lower(text[begin - 1]) <= 'z') --begin;
    if (begin > 0 && text[begin - 1] == ' ') --begin;
    while (begin > 0 && IsNumberByte(text[begin - 1])) --begin;
    if (auto bytes = BytesOf(text.substr(begin, end - begin))) return bytes;
  }
  return std::nullopt;
}

std::optional<double> BytesAfter(std::string_view text, std::string_view words) {
  const size_t at = FindWord(text, words);
  if (at == std::string_view::npos) return std::nullopt;
  const size_t begin = text.find_first_not_of(" :=(", at + words.size());
  return begin == std::string_view::npos ? std::nullopt : BytesOf(text.substr(begin));
}

std::optional<double> NumberAfter(std::string_view text, std::string_view words) {
  const size_t at = FindWord(text, words);
  if (at == std::string_view::npos) return std::nullopt;
  const size_t begin = text.find_first_not_of(" :=(", at + words.size());
  return begin == std::string_view::npos ? std::nullopt : NumberOf(text.substr(begin));
}

std::string FormatBytes(double bytes) {
  constexpr const char* kNames[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  size_t power = 0;
  while (std::abs(bytes) >= kKibi && power + 1 < std::size(kNames)) {
    bytes /= kKibi;
    ++power;
  }
  if (power == 0) return fmt::format("{:.0f} B", bytes);
  return std::abs(bytes) < 100 ? fmt::format("{:.2f} {}", bytes, kNames[power])
                               : fmt::format("{:.0f} {}", bytes, kNames[power]);
}

std::string FormatSeconds(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  const double minutes = std::floor(seconds / 60 + 0.5);
  if (minutes < 120) return fmt::format("{:.0f} min", minutes);
  return fmt::format("{:.0f} h {:02.0f} min", std::floor(minutes / 60), std::fmod(minutes, 60));
}

}  // namespace warpscope::explain
