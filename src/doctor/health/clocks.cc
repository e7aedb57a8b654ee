// clocks: locked or set low. A low clock of an idle device is none of this.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks.h"
#include "doctor/health/looks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

std::optional<double> ClockOf(const Look& look) {
  const auto clock = look.Number(ReadingName::kClockSm);
  return clock ? clock : look.Number(ReadingName::kClockGraphics);
}

bool HasReason(const Look& look) {
  return std::any_of(Reasons().begin(), Reasons().end(), [&](const Reason& one) { return look.Is(one.state); });
}

}  // namespace

void CheckClocks(const Machine& machine, const Gpu& gpu, Steps& steps) {
  static_cast<void>(machine);
  if (gpu.is_part) return;
  const auto most = [&] {
    const auto clock = gpu.Number(ReadingName::kClockMaxSm);
    return clock ? clock : gpu.Number(ReadingName::kClockMaxGraphics);
  }();
  const auto set = gpu.Number(ReadingName::kClockLimitGraphics), usual = gpu.Number(ReadingName::kClockLimitDefault);
  constexpr double kLow = 0.9;
  if (set && usual && *set < kLow * *usual) {
    steps.Warn("clocks",
               fmt::format("the application clock is set to {:.0f} MHz, its own is {:.0f} ({:.0f} % less)", *set,
                           *usual, 100 * (1 - *set / *usual)),
               "sudo nvidia-smi -rac");
    return;
  }
  if (!most || *most <= 0) return;
  // Busy, far below the highest clock, and no reason is told: somebody locked the clocks.
  std::vector<double> held;
  bool by_application = false;
  size_t busy = 0, told = 0;
  constexpr double kFullyBusyPct = 80;  // below it a device may lower its clocks between kernels
  for (const Look& look : gpu.looks) {
    const auto clock = ClockOf(look);
    if (!clock || look.Number(ReadingName::kUtilizationGpu).value_or(0) < kFullyBusyPct) continue;
    ++busy;
    const bool reasons_told =
        look.Number(ReadingName::kThrottleSwPowerCap) || look.Number(ReadingName::kThrottleHwSlowdown);
    told += reasons_told ? 1 : 0;
    if (*clock < kLow * *most && !HasReason(look) && reasons_told && !look.Is(ReadingName::kThrottleIdle)) {
      held.push_back(*clock);
      by_application = by_application || look.Is(ReadingName::kThrottleAppClocks);
    }
  }
  if (busy == 0) return;
  if (held.size() * 2 > busy) {
    const double clock = *Median(held);
    steps.Warn(
        "clocks",
        fmt::format("{:.0f} of {:.0f} MHz under load ({:.0f} % lost), {}", clock, *most, 100 * (1 - clock / *most),
                    by_application ? "held by the application clock that was set"
                                   : "and no reason is told: the clocks are locked"),
        by_application ? "if that is not meant: sudo nvidia-smi -rac" : "sudo nvidia-smi -rgc; sudo nvidia-smi -rmc");
    return;
  }
  if (told > 0) steps.Ok("clocks", fmt::format("not locked low (highest {:.0f} MHz)", *most));
}

}  // namespace warpscope::doctor
