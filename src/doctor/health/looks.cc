#include "doctor/health/looks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpscope::doctor {

const std::vector<Reason>& Reasons() {
  using Kind = Reason::Kind;
  static const std::vector<Reason> kReasons = {
      {ReadingName::kThrottleHwThermal, ReadingName::kThrottleHwThermalTime, "hardware slowdown because of heat",
       Kind::kHardwareHeat},
      {ReadingName::kThrottleHwPowerBrake, ReadingName::kThrottleHwPowerBrakeTime,
       "power brake: the machine's power supply asks for less", Kind::kBrake},
      {ReadingName::kThrottleHwSlowdown, std::nullopt, "hardware slowdown (heat, power or current)", Kind::kHardware},
      {ReadingName::kThrottleSwThermal, ReadingName::kThrottleSwThermalTime, "clocks lowered because of heat",
       Kind::kHeat},
      {ReadingName::kThrottleThermal, ReadingName::kThrottleThermalTime, "clocks lowered because of heat", Kind::kHeat},
      {ReadingName::kThrottleSwPowerCap, ReadingName::kThrottleSwPowerCapTime, "power limit reached", Kind::kPowerCap},
      {ReadingName::kThrottlePower, ReadingName::kThrottlePowerTime, "power limit reached", Kind::kPowerCap},
      {ReadingName::kThrottleSyncBoost, ReadingName::kThrottleSyncBoostTime,
       "clocks follow the slowest device of a group (sync boost)", Kind::kGroup},
  };
  return kReasons;
}

std::optional<double> Throttle::cost_pct() const {
  if (!clock_mhz || !clock_max_mhz || *clock_max_mhz <= 0) return std::nullopt;
  return std::max(0.0, 100 * (1 - *clock_mhz / *clock_max_mhz));
}

std::vector<Throttle> ThrottlesOf(const Gpu& gpu) {
  std::vector<Throttle> found;
  for (const Reason& reason : Reasons()) {
    Throttle one;
    one.reason = &reason;
    std::vector<double> clocks;
    for (const Look& look : gpu.looks) {
      const auto state = look.Number(reason.state);
      if (!state) continue;
      ++one.looks;
      one.is_on = *state != 0;
      if (*state == 0) continue;
      ++one.active;
      if (!one.since_ns) one.since_ns = look.time_ns;
      auto clock = look.Number(ReadingName::kClockSm);
      if (!clock) clock = look.Number(ReadingName::kClockGraphics);
      if (clock) clocks.push_back(*clock);
    }
    if (reason.time) one.time_ns = gpu.Number(*reason.time);
    if (one.active == 0) continue;
    one.clock_mhz = Median(clocks);
    one.clock_max_mhz = gpu.Number(ReadingName::kClockMaxSm);
    if (!one.clock_max_mhz) one.clock_max_mhz = gpu.Number(ReadingName::kClockMaxGraphics);
    found.push_back(one);
  }
  // The general reason adds nothing where a special one of hardware tells more.
  const bool special = std::any_of(found.begin(), found.end(), [](const Throttle& one) {
    return one.reason->kind == Reason::Kind::kHardwareHeat || one.reason->kind == Reason::Kind::kBrake;
  });
  if (special) std::erase_if(found, [](const Throttle& one) { return one.reason->kind == Reason::Kind::kHardware; });
  return found;
}

std::optional<Growth> GrowthOf(const Gpu& gpu, ReadingName counter) {
  Growth growth;
  std::optional<double> last;
  std::optional<int64_t> begin_ns, last_ns;
  for (const Look& look : gpu.looks) {
    const auto value = look.Number(counter);
    if (!value || !look.time_ns || (last_ns && *look.time_ns <= *last_ns)) continue;
    if (last) growth.count += *value >= *last ? *value - *last : *value;
    if (!begin_ns) begin_ns = look.time_ns;
    last = value, last_ns = look.time_ns;
  }
  if (!begin_ns || *last_ns == *begin_ns) return std::nullopt;
  growth.seconds = static_cast<double>(*last_ns - *begin_ns) * 1e-9;
  return growth;
}

std::string RateText(double count, double seconds) {
  if (seconds <= 0) return {};
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  const double rate = count / seconds;
  if (rate >= 10) return fmt::format("{:.0f} a second", rate);
  if (rate * kMinute >= 1) return fmt::format("{:.0f} a minute", rate * kMinute);
  if (rate * kHour >= 1) return fmt::format("{:.0f} an hour", rate * kHour);
  return fmt::format("{:.1f} a day", rate * kDay);
}

std::optional<double> Median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double PcieGbPerS(int generation, unsigned width) {
  // GT/s x encoding (8/10 up to generation 2, 128/130 up to 5, 242/256 for 6) / 8 bits.
  constexpr std::array kPerLane = {0.0, 0.25, 0.5, 0.985, 1.969, 3.938, 7.563};
  if (generation < 1 || static_cast<size_t>(generation) >= kPerLane.size()) return 0;
  return kPerLane[static_cast<size_t>(generation)] * width;
}

std::string Duration(double ns) {
  const double seconds = ns * 1e-9;
  if (seconds < 1) return fmt::format("{:.0f} ms", ns * 1e-6);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} h", seconds / 3600);
}

}  // namespace warpscope::doctor
