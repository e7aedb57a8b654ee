// What a monitoring log shows to hold the clocks down while the device works: heat, power, the machine's power brake,
// clocks that someone set. Idle devices lower their clocks by themselves: only busy looks count.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/device_case.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using model::ReadingName;

// A reason that shows up in fewer of the busy looks is a moment, not a state.
constexpr double kMinSharePct = 5;
// Clocks within this of their maximum cost less than the noise of a benchmark (kernels' times vary by a few percent).
constexpr double kNearMaxRatio = 0.95;
// Degrees to the slowdown threshold at which the next warm day crosses it.
constexpr double kSmallMarginC = 3;

struct Clocks {
  std::optional<double> mean, max;
  double ratio() const { return mean && max && *max > 0 ? *mean / *max : 1; }
  std::string text() const {
    if (!mean) return "the clock is not recorded";
    if (!max) return fmt::format("SM clock {} MHz on average", Number(*mean));
    return fmt::format("SM clock {} of {} MHz on average while busy", Number(*mean), Number(*max));
  }
};

Clocks ClocksOf(const DeviceCase& device) {
  Clocks clocks;
  clocks.mean = device.Mean(device.busy, ReadingName::kClockSm);
  if (!clocks.mean) clocks.mean = device.Mean(device.busy, ReadingName::kClockGraphics);
  clocks.max = device.Last(ReadingName::kClockMaxSm);
  if (!clocks.max) clocks.max = device.Last(ReadingName::kClockMaxGraphics);
  return clocks;
}

// The largest share of several reasons.
std::optional<double> Share(const DeviceCase& device, std::initializer_list<ReadingName> reasons) {
  std::optional<double> share;
  for (const ReadingName reason : reasons) {
    const auto one = device.SharePct(device.busy, reason);
    if (one && (!share || *one > *share)) share = one;
  }
  return share;
}

std::string HeatText(const DeviceCase& device) {
  std::string text;
  if (const auto max = device.Max(ReadingName::kTemperatureGpu)) text += fmt::format("; up to {} C", Number(*max));
  if (const auto slow = device.Last(ReadingName::kTemperatureSlowdown))
    text += fmt::format(", slows down at {} C", Number(*slow));
  if (const auto fan = device.Max(ReadingName::kFanSpeed)) text += fmt::format(", fan up to {}", Pct(*fan));
  return text;
}

std::optional<Hit> Thermal(const DeviceCase& device) {
  const auto share =
      Share(device, {ReadingName::kThrottleHwThermal, ReadingName::kThrottleSwThermal, ReadingName::kThrottleThermal});
  if (!share || *share < kMinSharePct) return std::nullopt;
  return Hit{fmt::format("{} lowered its clocks because of heat {}", device.who, InLooks(*share, device.busy.size())),
             ClocksOf(device).text() + HeatText(device), *share};
}

std::optional<Hit> PowerBrake(const DeviceCase& device) {
  const auto brake = Share(device, {ReadingName::kThrottleHwPowerBrake});
  const auto slowdown = Share(device, {ReadingName::kThrottleHwSlowdown});
  const auto heat = Share(device, {ReadingName::kThrottleHwThermal});
  // Hardware slowdown without heat is power: a brake signal or too high a current.
  const double share = std::max(brake.value_or(0), heat.value_or(0) > 0 ? 0 : slowdown.value_or(0));
  if (share < kMinSharePct) return std::nullopt;
  return Hit{fmt::format("The machine's power supply made {} lower its clocks {}", device.who,
                         InLooks(share, device.busy.size())),
             ClocksOf(device).text(), share};
}

std::string PowerText(const DeviceCase& device) {
  const auto draw = device.Mean(device.busy, ReadingName::kPowerDraw);
  const auto limit = device.Last(ReadingName::kPowerLimit), standard = device.Last(ReadingName::kPowerLimitDefault);
  std::string text;
  if (draw && limit) text += fmt::format("; {} of {} W on average", Number(std::round(*draw)), Number(*limit));
  if (limit && standard && *limit < *standard)
    text += fmt::format("; the limit was set below its standard of {} W", Number(*standard));
  return text;
}

// A power limit that is reached is how large devices work under full load: it counts once the clocks are clearly down.
std::optional<Hit> PowerCap(const DeviceCase& device) {
  const auto share = Share(device, {ReadingName::kThrottleSwPowerCap, ReadingName::kThrottlePower});
  const Clocks clocks = ClocksOf(device);
  if (!share || *share < kMinSharePct || clocks.ratio() >= kNearMaxRatio) return std::nullopt;
  return Hit{fmt::format("The power limit holds {} at {} of its highest clock", device.who, Pct(100 * clocks.ratio())),
             clocks.text() + "; limited by power " + InLooks(*share, device.busy.size()) + PowerText(device), *share};
}

// Nothing else may hold the clocks: a power limit below leaves the setting without effect.
std::optional<Hit> SetClocks(const DeviceCase& device) {
  const auto share = Share(device, {ReadingName::kThrottleAppClocks});
  const Clocks clocks = ClocksOf(device);
  if (!share || *share < 50 || clocks.ratio() >= kNearMaxRatio) return std::nullopt;
  return Hit{
      fmt::format("Clocks that were set hold {} at {} of its highest clock", device.who, Pct(100 * clocks.ratio())),
      clocks.text(), *share};
}

std::optional<Hit> NearLimit(const DeviceCase& device) {
  const auto hottest = device.Max(ReadingName::kTemperatureGpu);
  const auto slow = device.Last(ReadingName::kTemperatureSlowdown);
  if (!hottest || !slow || *slow <= 0 || *hottest < *slow - kSmallMarginC || Thermal(device)) return std::nullopt;
  return Hit{fmt::format("{} is {} C hot and slows down at {} C", device.who, Number(*hottest), Number(*slow)),
             fmt::format("hottest reading {} C", Number(*hottest)), *hottest};
}

}  // namespace

const std::vector<Check>& ClockChecks() {
  static const std::vector<Check> kChecks = {
      {"power_brake", Dimension::kHardware, true, PowerBrake, "throttle",
       "Check the power supplies, their cables and the machine's power settings (BMC): the board was told to draw "
       "less.",
       "", "nvidia-smi -q -d PERFORMANCE shows HW Power Brake Slowdown : Not Active under load.",
       "A board lowers its clocks to half or less when the machine signals that its power supply is at its end."},
      {"thermal_throttling", Dimension::kHardware, true, Thermal, "temperature",
       "Improve the cooling: airflow, fans and filters, intake temperature, or fewer watts a device.",
       "nvidia-smi -i 0 -pl 500   # fewer watts, less heat", "No thermal slowdown in a log of the same load.",
       "A chip that gets too hot lowers its clocks to protect itself; every kernel takes longer by the same factor."},
      {"power_throttling", Dimension::kHardware, false, PowerCap, "power",
       "Raise the power limit if it was set below the standard and cooling allows it; else the device gives what its "
       "power allows.",
       "nvidia-smi -i 0 -pl 700", "The SM clock under the same load.",
       "A device lowers its clocks to keep its power limit. Dense arithmetic draws most and is slowed most; kernels "
       "that "
       "wait for memory lose little."},
      {"clocks_set_low", Dimension::kHardware, false, SetClocks, "clock", "Take the setting back, if nobody needs it.",
       "nvidia-smi -i 0 -rac   # application clocks\nnvidia-smi -i 0 -rgc   # locked clocks",
       "The SM clock under the same load.",
       "Clocks can be set by hand (for steady measurements); the setting stays until it is taken back or the driver is "
       "loaded anew."},
      {"near_slowdown_temperature", Dimension::kHardware, false, NearLimit, "temperature",
       "Improve the cooling before the device has to slow down.", "", "More degrees between load and threshold.",
       "Hardware lowers the clocks at a temperature of its own."},
  };
  return kChecks;
}

}  // namespace warpscope::rules
