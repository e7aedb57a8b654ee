#include "doctor/inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "doctor/words.h"

namespace warpscope::doctor {

namespace {

bool IsUnknown(const std::string& input) { return input.rfind(kNothingKnown) != std::string::npos; }
bool IsRecording(const std::string& input) { return input.find(kRecordingTells) != std::string::npos; }

}  // namespace

bool IsMixed(const Machine& machine) {
  if (machine.is_live || machine.PciGpus(Vendor::kNvidia).empty()) return false;
  size_t placed = 0;
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.is_part || gpu.vendor != Vendor::kNvidia || gpu.address.empty()) continue;
    if (machine.PciAt(gpu.address) != nullptr) return false;
    ++placed;
  }
  return placed > 0;
}

bool TellsNothing(const Machine& machine) {
  return !machine.is_live && !machine.inputs.empty() &&
         std::all_of(machine.inputs.begin(), machine.inputs.end(),
                     [](const std::string& input) { return IsUnknown(input) || IsRecording(input); });
}

void AddInputSteps(const Machine& machine, std::vector<Step>* all) {
  Steps steps(Part::kSetup, all);
  if (IsMixed(machine)) {
    std::vector<std::string> listed, on_bus;
    for (const Gpu& gpu : machine.gpus) {
      if (!gpu.is_part && !gpu.address.empty()) listed.push_back(fmt::format("{} at {}", gpu.Label(), gpu.address));
    }
    for (const PciDevice* device : machine.PciGpus(Vendor::kNvidia)) on_bus.push_back(device->address);
    std::string evidence = fmt::format(
        "the files are of different machines: nvidia-smi lists {}, and none is among {} "
        "on the bus ({})",
        Joined(listed, 2), Plural(on_bus.size(), "NVIDIA device"), Joined(on_bus, 2));
    if (!machine.driver_version.empty() && !machine.nvidia_version.empty() &&
        CompareVersions(machine.driver_version, machine.nvidia_version) != 0)
      evidence +=
          fmt::format("; nvidia-smi's driver is {}, the kernel's {}", machine.driver_version, machine.nvidia_version);
    steps.Fail("inputs", evidence, "give files that were taken on one machine, at one time");
  }
  if (!machine.conflicts.empty())
    steps.Warn("inputs", Joined(machine.conflicts, 2),
               "give files that were taken on one machine, at one time; others by a call of their own");
  std::vector<std::string> unknown;
  for (const std::string& input : machine.inputs) {
    if (IsUnknown(input)) unknown.push_back(input.substr(0, input.rfind(kNothingKnown) - 2));  // ": "
  }
  if (!unknown.empty())
    steps.Warn("inputs", Joined(unknown) + ": nothing in it is recognised",
               "give what nvidia-smi -q -x, lspci -vv, lsmod or dmesg print there; warpscope doctor --help");
  if (!machine.impossible.empty()) {
    constexpr size_t kShown = 3;
    std::vector<std::string> all = machine.impossible;
    all.resize(std::min(all.size(), kShown));
    std::string evidence = "values that cannot be are taken as not told: " + Joined(all, kShown);
    if (const size_t more = machine.impossible.size() - all.size() + machine.impossible_more; more > 0)
      evidence += fmt::format("; the same of {}", Plural(more, "more device"));
    steps.Warn("inputs", evidence,
               "read it once more: if it stays, the sensor, its driver or the tool is at fault, not what it measures");
  }
  if (!machine.gaps.empty())
    steps.Warn("inputs", Joined(machine.gaps, 4), "take it again as a whole; what is not in it was not judged");
}

}  // namespace warpscope::doctor
