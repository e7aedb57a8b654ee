#include "view/format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace warpscope::view {
namespace {

// Three significant digits: 1.23, 12.3, 123 (and 1234 where no larger unit follows).
std::string ThreeDigits(double value) {
  const double size = std::fabs(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

struct Unit {
  double size;
  std::string_view name;
};

// The largest unit of which `value`, as printed, has at least one. REQUIRES: units ascend and start with size 1.
template <size_t N>
std::string Scaled(double value, const std::array<Unit, N>& units) {
  if (!std::isfinite(value)) return "-";
  size_t i = 0;
  // 999.5 would print as "1000" of the smaller unit.
  while (i + 1 < N && std::fabs(value) >= units[i + 1].size * 0.9995) ++i;
  if (i == 0 && value == std::floor(value)) return fmt::format("{:.0f} {}", value, units[0].name);
  return fmt::format("{} {}", ThreeDigits(value / units[i].size), units[i].name);
}

}  // namespace

std::string FormatCount(int64_t value) {
  const std::string digits = fmt::format("{}", value);
  const size_t sign = value < 0 ? 1 : 0;
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > sign && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string FormatDurationNs(double ns) {
  constexpr std::array<Unit, 4> kUnits = {{{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}}};
  if (std::isfinite(ns) && std::fabs(ns) >= 119.5e9) {
    const auto seconds = static_cast<int64_t>(std::llround(std::min(std::fabs(ns) / 1e9, 9e15)));
    return fmt::format("{}{} min {:02} s", ns < 0 ? "-" : "", FormatCount(seconds / 60), seconds % 60);
  }
  return Scaled(ns, kUnits);
}

std::string FormatMs(double ms) { return FormatDurationNs(ms * 1e6); }

std::string FormatBytes(double bytes) {
  constexpr double kKi = 1024;
  constexpr std::array<Unit, 5> kUnits = {
      {{1, "B"}, {kKi, "KiB"}, {kKi * kKi, "MiB"}, {kKi * kKi * kKi, "GiB"}, {kKi * kKi * kKi * kKi, "TiB"}}};
  return Scaled(bytes, kUnits);
}

std::string FormatBytesPerSecond(double bytes_per_s) {
  constexpr std::array<Unit, 5> kUnits = {{{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}}};
  return Scaled(bytes_per_s, kUnits);
}

std::string FormatFlopPerSecond(double flop_per_s) {
  constexpr std::array<Unit, 6> kUnits = {
      {{1, "FLOP/s"}, {1e3, "kFLOP/s"}, {1e6, "MFLOP/s"}, {1e9, "GFLOP/s"}, {1e12, "TFLOP/s"}, {1e15, "PFLOP/s"}}};
  return Scaled(flop_per_s, kUnits);
}

std::string FormatPct(double pct) {
  if (!std::isfinite(pct)) return "-";
  const double size = std::fabs(pct);
  if (size == 0) return "0 %";
  if (size < 0.05) return pct < 0 ? ">-0.1 %" : "<0.1 %";
  // A part that is not the whole never reads as the whole.
  if (size < 100 && size >= 99.95) return pct < 0 ? ">-100 %" : "<100 %";
  return size < 100 ? fmt::format("{:.1f} %", pct) : fmt::format("{:.0f} %", pct);
}

std::string FormatChangePct(double pct) {
  const double shown = std::round(pct * 10) / 10;
  return shown == 0 ? "0.0 %" : fmt::format("{:+.1f} %", shown);
}

std::string FormatNumber(double value) {
  if (!std::isfinite(value)) return "-";
  if (std::fabs(value) >= 1e15) return fmt::format("{:.3g}", value);
  if (value == std::floor(value)) return FormatCount(static_cast<int64_t>(value));
  if (std::fabs(value) >= 1000) return FormatCount(std::llround(value));
  if (std::fabs(value) < 0.01) return fmt::format("{:.2g}", value);
  return ThreeDigits(value);
}

}  // namespace warpscope::view
