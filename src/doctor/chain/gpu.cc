// gpu: is there a device on the bus, and does it answer.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

std::vector<std::string> AddressesOf(const std::vector<const PciDevice*>& devices) {
  std::vector<std::string> words;
  words.reserve(devices.size());
  for (const PciDevice* device : devices) words.push_back(device->address);
  return words;
}

void FromBus(const Machine& machine, Vendor vendor, Steps& steps) {
  const auto all = machine.PciGpus(vendor);
  std::vector<const PciDevice*> gone;
  std::copy_if(all.begin(), all.end(), std::back_inserter(gone), [](const PciDevice* one) { return one->is_gone; });
  if (!gone.empty()) {
    steps.Critical("gpu",
                   fmt::format("{} of {} answer{} reads with ones only ({}): off the bus", gone.size(),
                               Plural(all.size(), "GPU"), gone.size() == 1 ? "s" : "", Joined(AddressesOf(gone))),
                   "stop the work and restart the machine (a lost device does not come back by itself); then see what "
                   "came before it: warpscope faults");
    return;
  }
  steps.Ok("gpu", fmt::format("{} on the PCI bus ({})", Plural(all.size(), std::string(NameOf(vendor)) + " device"),
                              Joined(AddressesOf(all))));
}

}  // namespace

void CheckGpu(const Machine& machine, Steps& steps) {
  const Vendor vendor = machine.MainVendor();
  if (machine.is_wsl) {
    const bool has_node = machine.nodes && std::any_of(machine.nodes->begin(), machine.nodes->end(),
                                                       [](const DeviceNode& node) { return node.path == "/dev/dxg"; });
    const bool is_missing = std::find(machine.missing_nodes.begin(), machine.missing_nodes.end(), "/dev/dxg") !=
                            machine.missing_nodes.end();
    if (has_node || (!is_missing && (!machine.nodes || machine.nodes_are_partial)))
      steps.Ok("gpu", "the GPU of Windows, through /dev/dxg");
    else
      steps.Fail("gpu", "no /dev/dxg: this WSL has no way to the GPU of Windows",
                 "in Windows: wsl --update, install the vendor's driver there (not here), and use WSL 2");
    return;
  }
  if (!machine.PciGpus(vendor).empty()) return FromBus(machine, vendor, steps);
  if (!machine.gpus.empty()) {
    const size_t count = static_cast<size_t>(
        std::count_if(machine.gpus.begin(), machine.gpus.end(), [](const Gpu& gpu) { return !gpu.is_part; }));
    constexpr size_t kMostNames = 4;
    std::vector<std::string> names;
    for (const Gpu& gpu : machine.gpus) {
      const std::string name = gpu.name.empty() ? std::string(NameOf(vendor)) : gpu.name;
      if (!gpu.is_part && names.size() < kMostNames && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
    if (names.empty()) names.emplace_back(NameOf(vendor));
    steps.Ok("gpu", fmt::format("{}: {}", Plural(count, "device"), Joined(names)));
    return;
  }
  if (machine.cuda && !machine.cuda->devices.empty()) {
    steps.Ok("gpu",
             fmt::format("{}: {}", Plural(machine.cuda->devices.size(), "device"), machine.cuda->devices[0].name));
    return;
  }
  if (!machine.pci) {
    steps.Unknown("gpu", "the PCI bus is not told",
                  machine.is_live ? "" : "give what lspci -vv printed there: --lspci FILE");
    return;
  }
  // A container sees the bus of its host, so the host has none either; on a cluster's node the device comes with the
  // flags of the engine.
  if (!machine.container.empty()) {
    steps.Fail("gpu",
               fmt::format("no NVIDIA, AMD, Intel or Ascend GPU on the PCI bus that this container ({}) sees",
                           machine.container),
               DeviceFlags(machine.container) + "; if nvidia-smi shows none on the host either, use a host with a GPU");
    return;
  }
  steps.Fail("gpu", "no NVIDIA, AMD, Intel or Ascend GPU on the PCI bus",
             machine.is_virtual ? "give this virtual machine a GPU (pass-through, or a type of instance that has one)"
                                : "check that the card is seated and powered and that the BIOS lists it; without one, "
                                  "recordings of other machines can still be opened here");
}

}  // namespace warpscope::doctor
