// What a monitoring log shows to be broken: memory errors, rows that could not be replaced, a driver that asks for a
// reset, links that are down. Counters and states of the driver: no threshold is needed.
#include <fmt/format.h>

#include "rules/measurements/device_case.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using model::ReadingName;

std::string Errors(double count) { return Plural(count, "uncorrected memory error"); }

// Uncorrected errors since the driver was loaded; those of the device's life alone are history.
std::optional<Hit> UncorrectedErrors(const DeviceCase& device) {
  const auto count = device.Last(ReadingName::kEccUncorrected);
  if (!count || *count <= 0) return std::nullopt;
  Hit hit;
  hit.weight = *count;
  hit.title = fmt::format("{} has {} since its driver was loaded", device.who, Errors(*count));
  const auto first = device.log.First(ReadingName::kEccUncorrected);
  hit.text = first && *first < *count ? fmt::format("{} of them came during this log", Count(*count - *first))
                                      : Errors(*count) + " are counted, all from before this log";
  return hit;
}

std::optional<Hit> RemapFailure(const DeviceCase& device) {
  if (device.Last(ReadingName::kRemappedFailure).value_or(0) == 0) return std::nullopt;
  return Hit{device.who + " could not replace a bad row of its memory", "the driver reports a failed row remapping", 1};
}

std::optional<Hit> PendingRepair(const DeviceCase& device) {
  const bool remap = device.Last(ReadingName::kRemappedPending).value_or(0) != 0;
  const bool retire = device.Last(ReadingName::kPageRetirementPending).value_or(0) != 0;
  if (!remap && !retire) return std::nullopt;
  return Hit{device.who + " waits for a reset to take bad memory out of use",
             remap ? "a row remapping is pending" : "pages are pending to be retired", 1};
}

std::string LastText(const DeviceCase& device, ReadingName name) {
  const model::StringId id = device.trace.strings.Find(model::NameOf(name));
  std::string text;
  for (const uint32_t row : device.log.rows) {
    const model::Reading& reading = device.trace.readings[row];
    if (reading.name == id && id != model::kNoString && reading.text != model::kNoString)
      text = device.trace.Text(reading.text);
  }
  return text;
}

std::optional<Hit> RecoveryAction(const DeviceCase& device) {
  const std::string action = LastText(device, ReadingName::kRecoveryAction);
  if (action.empty() || action == "None" || action == "none" || action == "0") return std::nullopt;
  return Hit{fmt::format("The driver asks for a recovery of {}: {}", device.who, Short(action)),
             "recovery action: " + Short(action), 1};
}

std::optional<Hit> LinksDown(const DeviceCase& device) {
  const auto down = device.Last(ReadingName::kNvlinkLinksDown);
  const auto up = device.Last(ReadingName::kNvlinkLinks);
  if (!down || !up || *down <= 0 || *up <= 0) return std::nullopt;  // none up: no bridge, or not set up
  return Hit{fmt::format("{} of {}'s {} are down", Count(*down), device.who, Plural(*up + *down, "NVLink")),
             fmt::format("{} up, {} down", Count(*up), Count(*down)), *down};
}

std::optional<Hit> LastXid(const DeviceCase& device) {
  const std::string xid = LastText(device, ReadingName::kXidLast);
  if (xid.empty() || xid == "0") return std::nullopt;
  return Hit{fmt::format("{} reported an error: Xid {}", device.who, Short(xid, 12)), "last Xid: " + Short(xid, 12), 1};
}

}  // namespace

const std::vector<Check>& FaultChecks() {
  static const std::vector<Check> kChecks = {
      {"remap_failure", Dimension::kHardware, true, RemapFailure, "remapped",
       "Take the device out of use and have it replaced: a row that cannot be replaced stays broken.", "",
       "After the replacement the state reads No.",
       "Memory of data-centre GPUs has spare rows. When one goes bad it is replaced by a spare; when no spare is left "
       "in "
       "that bank, the error comes back."},
      {"recovery_needed", Dimension::kHardware, true, RecoveryAction, "recovery",
       "Stop what runs on the device and do what the driver asks for.",
       "nvidia-smi --gpu-reset -i 0   # or reboot, as asked", "nvidia-smi -q shows: GPU Recovery Action : None",
       "After some errors a GPU works on in a degraded state until it is reset."},
      {"ecc_uncorrected", Dimension::kHardware, true, UncorrectedErrors, "ecc",
       "Drain the device, reset it, and run a memory test; replace it if the errors come back.",
       "nvidia-smi --gpu-reset -i 0\ndcgmi diag -r 3", "The count stays 0 after the reset.",
       "ECC corrects single flipped bits. An error that it cannot correct ends the program that read the data, or "
       "worse."},
      {"repair_pending", Dimension::kHardware, true, PendingRepair, "pending",
       "Reset the device at the next pause: until then the bad memory stays in use.", "nvidia-smi --gpu-reset -i 0",
       "Pending reads No after the reset.",
       "Bad rows or pages of memory are marked at once and taken out of use only when the device starts anew."},
      {"nvlink_down", Dimension::kHardware, true, LinksDown, "nvlink",
       "Reseat or replace the bridge or baseboard, and look into the kernel log for its errors.",
       "nvidia-smi nvlink -s", "All links show a speed.",
       "GPUs talk to each other over several links side by side; each that is down takes its share of the speed."},
      {"xid_error", Dimension::kHardware, true, LastXid, "xid",
       "Look the number up and read the kernel log of that time.", "dmesg -T | grep -i xid",
       "No new Xid after the cause is gone.",
       "Xid is the driver's word for an error of the GPU or of the program on it."},
  };
  return kChecks;
}

}  // namespace warpscope::rules
