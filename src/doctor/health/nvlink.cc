// nvlink: links between devices that are down or have errors.
#include <fmt/format.h>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {

void CheckNvlink(const Machine& machine, const Gpu& gpu, Steps& steps) {
  static_cast<void>(machine);
  if (gpu.is_part) return;
  const auto up = gpu.Number(ReadingName::kNvlinkLinks), down = gpu.Number(ReadingName::kNvlinkLinksDown);
  const auto errors = gpu.Number(ReadingName::kNvlinkErrors);
  constexpr double kManyErrors = 100;  // since the driver was loaded; a healthy link has a few replays
  if (down && *down > 0 && up && *up > 0)
    steps.Warn(
        "nvlink", fmt::format("{:.0f} of {:.0f} links are down", *down, *up + *down),
        "see why: warpscope faults; nvidia-smi nvlink -e; reset the devices together, then reseat the bridge or board");
  else if (errors && *errors >= kManyErrors)
    steps.Warn("nvlink", fmt::format("{:.0f} errors on the links (CRC, replay, recovery)", *errors),
               "see which link and whether they grow: nvidia-smi nvlink -e");
  else if (up && *up > 0)
    steps.Ok("nvlink", fmt::format("{} up{}", Plural(static_cast<size_t>(*up), "link"),
                                   errors && *errors > 0 ? fmt::format(", {:.0f} errors", *errors) : ""));
}

}  // namespace warpscope::doctor
