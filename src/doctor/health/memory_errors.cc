// ecc: errors of the device's memory.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {

void CheckMemoryErrors(const Machine& machine, const Gpu& gpu, Steps& steps) {
  static_cast<void>(machine);
  if (gpu.is_part) return;
  const auto mode = gpu.Number(ReadingName::kEccMode), pending = gpu.Number(ReadingName::kEccModePending);
  const auto fresh = gpu.Number(ReadingName::kEccUncorrected), corrected = gpu.Number(ReadingName::kEccCorrected);
  const auto lifetime = gpu.Number(ReadingName::kEccUncorrectedLifetime);
  if (gpu.Is(ReadingName::kMemoryUnrepairable)) {
    steps.Critical("ecc", "memory that cannot be repaired", "take the device out of use and have it replaced");
    return;
  }
  if (gpu.Is(ReadingName::kEccThresholdExceeded)) {
    steps.Critical("ecc", "more uncorrected errors of the on-chip memory than the vendor accepts",
                   "take the device out of use and have it replaced; the vendor's field diagnostic confirms it");
    return;
  }
  if (fresh && *fresh > 0) {
    steps.Fail(
        "ecc",
        fmt::format("{} since the driver was loaded: programs that met one were ended",
                    Plural(static_cast<uint64_t>(std::min(*fresh, 1e15)), "uncorrected memory error")),
        "restart what ran there; reset the device when it is free, and watch: if they come back it must be replaced");
    return;
  }
  if (mode && pending && *mode != *pending) {
    steps.Warn("ecc", fmt::format("error correction will be {} after the next reset", *pending != 0 ? "on" : "off"),
               "reset the device when it is free: sudo nvidia-smi --gpu-reset -i ID");
    return;
  }
  if (gpu.Is(ReadingName::kMemoryRepairPending)) {
    steps.Warn("ecc", "a repair of the memory waits for a reset", "reset the device when it is free");
    return;
  }
  if (!fresh && !corrected && !mode) return;
  std::string text = fresh ? "no uncorrected memory error since the driver was loaded"
                           : "error correction is " + std::string(mode && *mode != 0 ? "on" : "off");
  if (!fresh && !mode) text = "no uncorrected memory error is told";
  if (corrected && *corrected > 0) text += fmt::format(", {:.0f} corrected", *corrected);
  if (lifetime && *lifetime > 0) text += fmt::format("; {:.0f} uncorrected in its life", *lifetime);
  if (mode && *mode == 0 && fresh) text += "; error correction is off";
  steps.Ok("ecc", text);
}

}  // namespace warpscope::doctor
