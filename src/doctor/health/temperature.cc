// temperature: how near to the temperature at which the device slows down.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

std::optional<double> Highest(const Gpu& gpu, ReadingName name) {
  std::optional<double> most;
  for (const Look& look : gpu.looks) {
    const auto value = look.Number(name);
    if (value && (!most || *value > *most)) most = value;
  }
  return most;
}

std::optional<double> Lowest(const Gpu& gpu, ReadingName name) {
  std::optional<double> least;
  for (const Look& look : gpu.looks) {
    const auto value = look.Number(name);
    if (value && (!least || *value < *least)) least = value;
  }
  return least;
}

// Where it slows down; absent where the driver tells it as a distance, as those since 2023 do.
std::optional<double> SlowdownOf(const Gpu& gpu) {
  constexpr double kLowest = 50;
  for (const ReadingName name : {ReadingName::kTemperatureSlowdown, ReadingName::kTemperatureMaxOperating}) {
    const auto value = gpu.Number(name);
    if (value && *value >= kLowest) return value;
  }
  return std::nullopt;
}

}  // namespace

void CheckTemperature(const Machine& machine, const Gpu& gpu, Steps& steps) {
  static_cast<void>(machine);
  if (gpu.is_part) return;
  auto chip = Highest(gpu, ReadingName::kTemperatureGpu);
  const auto hotspot = Highest(gpu, ReadingName::kTemperatureHotspot);
  const auto memory = Highest(gpu, ReadingName::kTemperatureMemory);
  if (!chip) chip = hotspot;
  if (!chip) return;
  constexpr double kNear = 5;         // degrees
  constexpr double kHotChip = 90;     // where the device tells no limit of its own
  constexpr double kHotMemory = 100;  // HBM slows down at 95 to 105, GDDR6X at 110
  const std::optional<double> limit = SlowdownOf(gpu);
  const auto margin = Lowest(gpu, ReadingName::kTemperatureLimitMargin);
  std::string text = fmt::format("{:.0f} C", *chip);
  if (margin) text += fmt::format(", {:.0f} below its limit", *margin);
  else if (limit) text += fmt::format(", slows down at {:.0f}", *limit);
  if (hotspot && *hotspot != *chip) text += fmt::format(", hottest place {:.0f}", *hotspot);
  if (memory && *memory > 0) text += fmt::format(", memory {:.0f}", *memory);
  const bool near = margin ? *margin <= kNear : limit ? *chip >= *limit - kNear : *chip >= kHotChip;
  const std::string next = "cool it: fans, dust, air flow, distance to the next card, temperature of the room";
  if (near) steps.Warn("temperature", text + ": it slows down, or soon will", next);
  else if (memory && *memory >= kHotMemory) steps.Warn("temperature", text + ": the memory is hot", next);
  else steps.Ok("temperature", text);
}

}  // namespace warpscope::doctor
