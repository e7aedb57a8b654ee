// row_remapping and retired_pages: memory that was taken out of use. Pending is not failure: a reset activates it.
#include <fmt/format.h>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

void Rows(const Gpu& gpu, Steps& steps) {
  const auto failure = gpu.Number(ReadingName::kRemappedFailure), pending = gpu.Number(ReadingName::kRemappedPending);
  const auto corrected = gpu.Number(ReadingName::kRemappedCorrectable),
             uncorrected = gpu.Number(ReadingName::kRemappedUncorrectable);
  if (!failure && !pending && !corrected && !uncorrected) return;  // a card without remapping
  const std::string counts = fmt::format("{:.0f} rows replaced after uncorrected errors, {:.0f} after corrected ones",
                                         uncorrected.value_or(0), corrected.value_or(0));
  if (failure.value_or(0) != 0)
    steps.Critical("row_remapping", "a memory row could not be replaced: no spare is left (" + counts + ")",
                   "take the device out of use and have it replaced");
  else if (pending.value_or(0) != 0)
    steps.Warn("row_remapping", "a replacement of a memory row waits for a reset; that is no failure (" + counts + ")",
               "reset the device when it is free, or restart the machine: sudo nvidia-smi --gpu-reset -i " +
                   (gpu.address.empty() ? "ID" : gpu.address));
  else if (uncorrected.value_or(0) + corrected.value_or(0) > 0)
    steps.Ok("row_remapping", counts + "; all are active, none failed");
  else steps.Ok("row_remapping", "no memory row was replaced");
}

}  // namespace

void CheckRowRemapping(const Machine& machine, const Gpu& gpu, Steps& steps) {
  static_cast<void>(machine);
  if (gpu.is_part) return;
  Rows(gpu, steps);
  const auto single = gpu.Number(ReadingName::kPagesRetiredSingle),
             twice = gpu.Number(ReadingName::kPagesRetiredDouble);
  const bool pending = gpu.Is(ReadingName::kPageRetirementPending);
  if (!single && !twice && !pending) return;
  const double pages = single.value_or(0) + twice.value_or(0);
  // NVIDIA, "Dynamic Page Retirement": 64 pages can be retired; a board qualifies for replacement from 60 on.
  constexpr double kMostPages = 60;
  const std::string counts = fmt::format("{:.0f} pages ({:.0f} after double-bit errors)", pages, twice.value_or(0));
  if (pages >= kMostPages)
    steps.Critical("retired_pages", counts + " are out of use: as many as can be", "have the device replaced");
  else if (pending)
    steps.Warn("retired_pages", "pages wait to be taken out of use; " + counts + " are",
               "reset the device when it is free, or restart the machine");
  else if (pages > 0) steps.Ok("retired_pages", counts + " are out of use, of 64 that can be");
  else steps.Ok("retired_pages", "no page is out of use");
}

}  // namespace warpscope::doctor
