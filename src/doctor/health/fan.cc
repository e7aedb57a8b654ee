// fan: one that stands still on a hot device, or that cannot be read.
#include <fmt/format.h>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {

void CheckFan(const Machine& machine, const Gpu& gpu, Steps& steps) {
  static_cast<void>(machine);
  if (gpu.is_part) return;
  const auto speed = gpu.Number(ReadingName::kFanSpeed), chip = gpu.Number(ReadingName::kTemperatureGpu);
  if (Holds(gpu.Text(ReadingName::kFanSpeed), "err")) {
    steps.Fail("fan", "its fan cannot be read (ERR!)", "look at the fan: it may have failed");
    return;
  }
  if (!speed) return;  // passive cards have none
  constexpr double kHot = 85, kFull = 95;
  constexpr double kWarm = 60;  // no card's own fan curve asks for full speed below it
  // NVIDIA's tools tell no fan of cards without one; AMD's tell 0 %.
  if (*speed <= 0 && chip && *chip >= kHot && gpu.vendor != Vendor::kNvidia)
    steps.Warn("fan", fmt::format("0 % at {:.0f} C", *chip),
               "if the card has a fan of its own, it stands still; otherwise the machine's fans are too slow");
  else if (*speed <= 0 && chip && *chip >= kHot)
    steps.Fail("fan", fmt::format("0 % at {:.0f} C", *chip),
               "look at the fan: it stands still on a hot device (or this card is cooled by the machine, whose fans "
               "are too slow)");
  else if (*speed >= kFull && chip && *chip < kWarm)
    steps.Ok("fan", fmt::format("{:.0f} % at {:.0f} C: it is set to run so, heat does not ask for it", *speed, *chip));
  else if (*speed >= kFull)
    steps.Warn("fan", fmt::format("{:.0f} %: cooling has nothing left to give", *speed),
               "clean it, give it air, lower the room's temperature");
  else steps.Ok("fan", fmt::format("{:.0f} %", *speed));
}

}  // namespace warpscope::doctor
