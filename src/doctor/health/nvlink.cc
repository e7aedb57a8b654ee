// nvlink: links between devices that are down or have errors.
#include <fmt/format.h>

#include "doctor/checks.h"
#include "doctor/health/looks.h"
#include "doctor/words.h"

namespace warpscope::doctor {

void CheckNvlink(const Machine& machine, const Gpu& gpu, Steps& steps) {
  static_cast<void>(machine);
  if (gpu.is_part) return;
  const auto up = gpu.Number(ReadingName::kNvlinkLinks), down = gpu.Number(ReadingName::kNvlinkLinksDown);
  const auto errors = gpu.Number(ReadingName::kNvlinkErrors);
  const auto growth = GrowthOf(gpu, ReadingName::kNvlinkErrors);
  // NVIDIA's DCGM warns of any error that comes while it looks, and takes 100 CRC errors a second for a fault
  // (dcgm_gpu_hardware_limits.h). A count since the driver was loaded holds those of training the link as well, so that
  // fewer than one second's worth of that is no news.
  constexpr double kManyErrors = 100;
  const std::string next = "see which link and whether they grow: nvidia-smi nvlink -e";
  if (down && *down > 0 && up && *up > 0)
    steps.Warn(
        "nvlink", fmt::format("{:.0f} of {:.0f} links are down", *down, *up + *down),
        "see why: warpscope faults; nvidia-smi nvlink -e; reset the devices together, then reseat the bridge or board");
  else if (growth && growth->count > 0)
    steps.Warn("nvlink",
               fmt::format("{:.0f} errors on the links (CRC, replay, recovery) in {}, {}", growth->count,
                           Duration(growth->seconds * 1e9), RateText(growth->count, growth->seconds)),
               next + "; a fault from 100 CRC errors a second, or with replays that go on");
  else if (errors && *errors >= kManyErrors && !growth)
    steps.Warn(
        "nvlink",
        fmt::format("{:.0f} errors on the links (CRC, replay, recovery) since the driver was loaded: worth a look",
                    *errors),
        next);
  else if (up && *up > 0)
    steps.Ok("nvlink", fmt::format("{} up{}", Plural(static_cast<size_t>(*up), "link"),
                                   errors && *errors > 0 ? fmt::format(", {:.0f} errors", *errors) : ""));
}

}  // namespace warpscope::doctor
