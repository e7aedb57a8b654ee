// power_limit: a limit that was set below the device's own.
#include <fmt/format.h>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {

void CheckPower(const Machine& machine, const Gpu& gpu, Steps& steps) {
  static_cast<void>(machine);
  if (gpu.is_part) return;
  const auto draw = gpu.Number(ReadingName::kPowerDraw), limit = gpu.Number(ReadingName::kPowerLimit);
  const auto usual = gpu.Number(ReadingName::kPowerLimitDefault);
  if (!draw && !limit) return;
  constexpr double kSame = 0.98;
  std::string text = draw ? fmt::format("{:.0f} W", *draw) : std::string("unknown draw");
  if (limit) text += fmt::format(" of {:.0f} W", *limit);
  if (limit && usual && *limit < kSame * *usual)
    steps.Warn("power_limit",
               fmt::format("the limit is set to {:.0f} W, its own is {:.0f} W ({:.0f} % less)", *limit, *usual,
                           100 * (1 - *limit / *usual)),
               fmt::format("if that is not meant: sudo nvidia-smi -pl {:.0f}", *usual));
  else steps.Ok("power_limit", text);
}

}  // namespace warpscope::doctor
