// management: does the vendor's management library (NVML, which nvidia-smi shows) answer, and with every device.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks.h"
#include "doctor/inputs.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

struct Known {
  std::string_view part;  // of what the tool said, small letters
  std::string_view means, next, next_in_container;
};
constexpr Known kKnown[] = {
    {"version mismatch", "", "restart the machine, or reload the driver's modules while nothing uses them",
     "restart the container"},
    {"couldn't communicate", "the driver is not loaded, or it hangs",
     "see what the kernel says of it: warpscope faults", "look at the host: nvidia-smi there"},
    {"blocked by the operating system", "Windows does not pass the GPU into WSL",
     "in Windows: install the vendor's current driver, then wsl --update and wsl --shutdown; no Linux driver inside "
     "WSL",
     "in Windows: install the vendor's current driver, then wsl --update and wsl --shutdown"},
    {"not loaded", "", "sudo modprobe nvidia", "look at the host: nvidia-smi there"},
    {"insufficient permissions", "", "let this user open /dev/nvidiactl: ls -l /dev/nvidia*",
     "let the container's user open /dev/nvidiactl"},
    {"no permission", "", "let this user open /dev/nvidiactl: ls -l /dev/nvidia*",
     "let the container's user open /dev/nvidiactl"},
    {"unknown error", "in a container this follows a reload of systemd on the host, which takes the devices away",
     "in a container: restart it, and for good use CDI or the cgroupfs driver; on the host itself see what the kernel "
     "says of the device: warpscope faults",
     "restart the container; for good: CDI, or device rules that survive a reload (cgroupfs driver)"},
    {"unable to determine the device handle", "a GPU does not answer any more",
     "see which one and why: warpscope faults", "look at the host's kernel log: warpscope faults"},
    {"is lost", "a GPU does not answer any more", "restart the machine; what came before it: warpscope faults",
     "look at the host's kernel log: warpscope faults"},
    {"fell off the bus", "", "restart the machine; what came before it: warpscope faults",
     "look at the host's kernel log: warpscope faults"},
    {"no devices were found",
     "the driver is loaded and took no device: too new or too old for it, or it failed to start",
     "see why: warpscope faults (RmInitAdapter, \"not supported by\")", "give the container the devices"},
};

void Failed(const Machine& machine, Steps& steps) {
  const Management& management = *machine.management;
  const bool in_container = !machine.container.empty();
  for (const Known& known : kKnown) {
    if (!Holds(management.words, known.part)) continue;
    std::string evidence = management.words;
    if (!known.means.empty()) evidence += fmt::format(" ({})", known.means);
    steps.Fail("management", evidence, std::string(in_container ? known.next_in_container : known.next));
    return;
  }
  steps.Fail("management", management.words.empty() ? "the driver reports no device" : management.words,
             management.is_missing && in_container ? LibraryFlags(machine.container)
                                                   : "nvidia-smi shows the driver's own words");
}

}  // namespace

void CheckManagement(const Machine& machine, Steps& steps) {
  const Vendor vendor = machine.MainVendor();
  if (const Stack* stack = StackOf(vendor)) {
    if (!machine.gpus.empty()) steps.Ok("management", fmt::format("{} answers", stack->tool));
    return;
  }
  if (!machine.management) {
    if (machine.gpus.empty())
      steps.Unknown("management", "no output of nvidia-smi", "give what nvidia-smi -q -x prints there: --from FILE");
    return;
  }
  if (!machine.management->works) return Failed(machine, steps);
  const auto on_bus = machine.PciGpus(Vendor::kNvidia);
  std::vector<std::string> unseen, lost;
  size_t listed = 0;
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.is_part || gpu.vendor != Vendor::kNvidia) continue;
    ++listed;
    if (gpu.is_lost) lost.push_back(gpu.Label());
  }
  for (const PciDevice* device : on_bus) {
    const bool seen = std::any_of(machine.gpus.begin(), machine.gpus.end(),
                                  [&](const Gpu& gpu) { return gpu.address == device->address; });
    if (!seen) unseen.push_back(device->address);
  }
  if (!lost.empty()) {
    steps.Critical("management", Joined(lost) + ": listed, and cannot be read",
                   "see what happened to it: warpscope faults; then reset it or restart the machine");
    return;
  }
  if (listed == 0) {
    steps.Fail("management", "the driver answers and reports no device",
               machine.container.empty() ? "see why: warpscope faults" : DeviceFlags(machine.container));
    return;
  }
  // A container may have been given some of the host's devices on purpose.
  if (!IsMixed(machine) && machine.container.empty() && listed < on_bus.size()) {
    // Without places of the devices that answer only their number tells.
    const std::string which = unseen.size() < on_bus.size() ? fmt::format("; not {}", Joined(unseen)) : std::string();
    steps.Fail("management", fmt::format("{} of {} GPUs answer{}", listed, on_bus.size(), which),
               "see why the driver left it out: warpscope faults");
    return;
  }
  steps.Ok("management", fmt::format("{} answer{}, driver {}{}", Plural(listed, "device"), listed == 1 ? "s" : "",
                                     machine.driver_version.empty() ? "unknown" : machine.driver_version,
                                     machine.driver_cuda.empty() ? "" : ", CUDA up to " + machine.driver_cuda));
}

}  // namespace warpscope::doctor
