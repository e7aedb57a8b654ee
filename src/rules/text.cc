#include "rules/text.h"

#include <fmt/format.h>

#include <cmath>

namespace warpscope::rules {
namespace {

// Three significant digits, no trailing zeros behind a point; thousands separated.
std::string Number(double value) {
  const double size = std::fabs(value);
  if (size >= 1000) {
    std::string digits = fmt::format("{:.0f}", value);
    for (int at = static_cast<int>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3) digits.insert(at, ",");
    return digits;
  }
  const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  std::string digits = fmt::format("{:.{}f}", value, decimals);
  if (digits.find('.') != std::string::npos) {
    while (digits.back() == '0') digits.pop_back();
    if (digits.back() == '.') digits.pop_back();
  }
  return digits == "-0" ? "0" : digits;
}

}  // namespace

std::string Ms(double ms) {
  const double size = std::fabs(ms);
  if (size >= 1000) return Number(ms / 1000) + " s";
  if (size >= 1 || ms == 0) return Number(ms) + " ms";
  return Number(ms * 1000) + " us";
}

std::string Ns(int64_t ns) {
  if (ns > -1000 && ns < 1000) return Number(static_cast<double>(ns)) + " ns";
  return Ms(static_cast<double>(ns) / 1e6);
}

std::string Pct(double pct) {
  const int decimals = std::fabs(pct) >= 9.95 ? 0 : 1;
  return fmt::format("{:.{}f} %", pct, decimals);
}

std::string Count(double count) { return Number(count); }

std::string Bytes(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (std::fabs(bytes) >= 1024 && unit + 1 < std::size(kUnits)) bytes /= 1024, ++unit;
  return Number(bytes) + " " + kUnits[unit];
}

std::string Times(double ratio) { return Number(ratio) + "x"; }

std::string Plural(double count, std::string_view noun) {
  std::string text(noun);
  if (count != 1) {
    const bool y = text.size() > 1 && text.back() == 'y' &&
                   std::string_view("aeiou").find(text[text.size() - 2]) == std::string_view::npos;
    if (y) {
      text.replace(text.size() - 1, 1, "ies");
    } else {
      text += text.ends_with("s") || text.ends_with("ch") ? "es" : "s";
    }
  }
  return Number(count) + " " + text;
}

std::string Short(std::string_view name, size_t max) {
  if (name.size() <= max) return std::string(name);
  return std::string(name.substr(0, max - 2)) + "..";
}

}  // namespace warpscope::rules
