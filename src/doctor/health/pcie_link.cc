// pcie_link: lanes and generation under load against what card and slot can do. An idle device lowers the generation to
// save power, which is no fault; it keeps its lanes.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks.h"
#include "doctor/health/looks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

struct Seen {
  std::optional<int> generation, generation_max, card_max, slot_max;
  std::optional<unsigned> width, width_max, slot_width_max;
  bool under_load = false;
};

std::optional<int> Generation(const std::optional<double>& gt_per_s) {
  const int generation = gt_per_s ? PcieGeneration(*gt_per_s) : 0;
  return generation > 0 ? std::optional(generation) : std::nullopt;
}

// The fastest link that was seen while the device worked; otherwise the last one.
Seen See(const Machine& machine, const Gpu& gpu) {
  Seen seen;
  const auto whole = [](const std::optional<double>& value) {
    return value && *value > 0 ? std::optional(static_cast<int>(*value)) : std::nullopt;
  };
  for (const Look& look : gpu.looks) {
    const auto generation = whole(look.Number(ReadingName::kPcieGenCurrent)),
               width = whole(look.Number(ReadingName::kPcieWidthCurrent));
    const bool busy = IsBusy(look);
    if (generation && busy && !seen.under_load) seen.under_load = true, seen.generation = generation;
    else if (generation && (busy || !seen.under_load))
      seen.generation = busy ? std::max(generation, seen.generation) : generation;
    if (width) seen.width = std::max(static_cast<unsigned>(*width), busy ? seen.width.value_or(0) : 0U);
  }
  seen.generation_max = whole(gpu.Number(ReadingName::kPcieGenMax));
  seen.card_max = whole(gpu.Number(ReadingName::kPcieGenDeviceMax));
  seen.slot_max = whole(gpu.Number(ReadingName::kPcieGenHostMax));
  if (const auto width = whole(gpu.Number(ReadingName::kPcieWidthMax))) seen.width_max = static_cast<unsigned>(*width);
  if (const PciDevice* device = machine.PciAt(gpu.address)) {
    const PcieLink& link = device->link;
    if (!seen.generation) seen.generation = Generation(link.gt_per_s);
    if (!seen.card_max) seen.card_max = Generation(link.gt_per_s_max);
    if (!seen.slot_max) seen.slot_max = Generation(link.slot_gt_per_s_max);
    if (!seen.width) seen.width = link.width;
    if (!seen.width_max) seen.width_max = link.width_max;
    seen.slot_width_max = link.slot_width_max;
  }
  if (!seen.generation_max && (seen.card_max || seen.slot_max))
    seen.generation_max = std::min(seen.card_max.value_or(99), seen.slot_max.value_or(99));
  return seen;
}

// Links repeat a transfer now and then; a bad contact does so all the time. The count alone, since the driver was
// loaded, tells that only beside a time.
void Replays(const Machine& machine, const Gpu& gpu, Steps& steps) {
  const auto replays = gpu.Number(ReadingName::kPcieReplays);
  if (!replays || *replays <= 0) return;
  // NVIDIA's DCGM warns beyond 8 in a minute (dcgm_gpu_hardware_limits.h: "the maximum recommended by RM").
  constexpr double kMostPerMinute = 8, kMinute = 60, kDay = 86400;
  const std::string limit = fmt::format("DCGM warns beyond {:.0f} a minute", kMostPerMinute);
  const std::string next =
      "see whether it grows under load: nvidia-smi -q; if so reseat the card, and check riser and slot";
  if (const auto growth = GrowthOf(gpu, ReadingName::kPcieReplays); growth && growth->count > 0) {
    const std::string text =
        fmt::format("{:.0f} transfers over the link were repeated in {} ({}; {})", growth->count,
                    Duration(growth->seconds * 1e9), RateText(growth->count, growth->seconds), limit);
    if (growth->count / growth->seconds * kMinute > kMostPerMinute && growth->count > kMostPerMinute)
      steps.Warn("pcie_replays", text, next);
    else steps.Ok("pcie_replays", text);
    return;
  }
  const std::string count =
      fmt::format("{:.0f} transfers over the link were repeated since the driver was loaded", *replays);
  if (machine.uptime_s && *machine.uptime_s > kMinute) {
    const std::string text = fmt::format("{}, at least {} ({})", count, RateText(*replays, *machine.uptime_s), limit);
    if (*replays / *machine.uptime_s * kMinute > kMostPerMinute) steps.Warn("pcie_replays", text, next);
    else steps.Ok("pcie_replays", text);
  } else if (*replays > kMostPerMinute * kDay / kMinute) {
    steps.Warn("pcie_replays",
               fmt::format("{}: worth a look, for a whole day of what DCGM warns of ({:.0f} a minute) is less", count,
                           kMostPerMinute),
               next);
  } else {
    steps.Ok("pcie_replays", fmt::format("{}; only their growth tells something ({})", count, limit));
  }
}

}  // namespace

void CheckPcieLink(const Machine& machine, const Gpu& gpu, Steps& steps) {
  if (gpu.is_part || gpu.is_integrated) return;
  Replays(machine, gpu, steps);
  const Seen seen = See(machine, gpu);
  if (!seen.generation && !seen.width) return;
  const int generation = seen.generation.value_or(0), most = seen.generation_max.value_or(generation);
  const unsigned width = seen.width.value_or(0), lanes = seen.width_max.value_or(width);
  std::string text = seen.generation
                         ? fmt::format("generation {} of {}, {} of {} lanes", generation, most, width, lanes)
                         : fmt::format("{} of {} lanes", width, lanes);
  // An idle link is slow by choice: what its lanes cost is told for the generation that it takes under load, by name.
  const bool is_idle = seen.generation && !seen.under_load && generation < most;
  const int judged = is_idle || generation == 0 ? most : generation;
  const double now = PcieGbPerS(judged, width), best = PcieGbPerS(most, lanes);
  std::string cost;
  if (now > 0 && best > now * 1.01) {
    cost = fmt::format(": {:.1f} of {:.1f} GB/s", now, best);
    if (is_idle) cost += fmt::format(" once it works at generation {}", judged);
  }
  std::string fix = "reseat the card, check riser and cable, and that the BIOS gives the slot all lanes (bifurcation)";
  if (machine.gpus.size() > 1 && width * 2 == lanes) fix += "; many boards give two cards half of the lanes each";
  if (seen.width && width < lanes) {
    const bool by_slot = seen.slot_width_max && *seen.slot_width_max <= width;
    steps.Warn("pcie_link", text + cost + (by_slot ? ", the slot has no more" : ""),
               by_slot ? "move the card to a slot with all lanes" : fix);
  } else if (seen.under_load && seen.generation && generation < most) {
    steps.Warn("pcie_link", text + " under load" + cost, fix + "; a BIOS setting may fix the slot's generation");
  } else if (seen.card_max && seen.slot_max && *seen.slot_max < *seen.card_max) {
    steps.Ok("pcie_link", fmt::format("{}; the card could do generation {}, the slot does {}", text, *seen.card_max,
                                      *seen.slot_max));
  } else if (seen.generation && generation < most) {
    steps.Ok("pcie_link", text + "; idle, and an idle link slows down: look again under load to judge the generation");
  } else {
    steps.Ok("pcie_link", text);
  }
}

}  // namespace warpscope::doctor
