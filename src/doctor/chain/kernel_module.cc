// kernel_module: does the kernel drive the device with the vendor's driver.
#include <fmt/format.h>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

// Another driver that took NVIDIA's devices; "" if none is seen.
std::string TakenBy(const Machine& machine) {
  for (const PciDevice* gpu : machine.PciGpus(Vendor::kNvidia)) {
    if (gpu->driver && !gpu->driver->empty() && *gpu->driver != "nvidia") return *gpu->driver;
  }
  const bool nouveau = machine.modules && machine.modules->contains("nouveau") && !machine.modules->contains("nvidia");
  return nouveau ? "nouveau" : std::string();
}

void NotLoaded(const Machine& machine, std::string evidence, Steps& steps) {
  const bool in_container = !machine.container.empty();
  steps.Fail("kernel_module", std::move(evidence),
             in_container
                 ? "on the host: sudo modprobe nvidia; if that fails, install the driver there"
                 : "sudo modprobe nvidia; if that fails, the driver is not built for this kernel or not signed "
                   "for Secure Boot: dkms status; mokutil --sb-state");
}

void Nvidia(const Machine& machine, Steps& steps) {
  const bool answers = machine.management && machine.management->works;
  if (const std::string other = TakenBy(machine); !other.empty() && !answers) {
    if (other.starts_with("vfio") || other == "pci-stub")
      steps.Fail("kernel_module", fmt::format("the GPU is set aside for virtual machines ({})", other),
                 "use it inside the virtual machine, or bind it to nvidia: remove its ids from the vfio-pci options");
    else
      steps.Fail("kernel_module", fmt::format("the kernel runs the GPU with {}, not with NVIDIA's driver", other),
                 "install NVIDIA's driver, which turns it off, and restart");
    return;
  }
  if (!machine.nvidia_version.empty() && !machine.nvidia_file_version.empty() &&
      CompareVersions(machine.nvidia_version, machine.nvidia_file_version) != 0) {
    steps.Warn("kernel_module",
               fmt::format("the kernel runs NVIDIA's driver {}, and the module on disk is {}: it was updated and not "
                           "loaded since",
                           machine.nvidia_version, machine.nvidia_file_version),
               "restart the machine before programs meet libraries of the new version");
    return;
  }
  if (!machine.nvidia_version.empty()) {
    steps.Ok("kernel_module", fmt::format("NVIDIA's driver {}{}", machine.nvidia_version,
                                          machine.nvidia_is_open.value_or(false) ? ", open kernel modules" : ""));
    return;
  }
  if (machine.is_windows || machine.is_wsl)
    return static_cast<void>(steps.Ok("kernel_module", "Windows holds the driver"));
  if (answers) {
    steps.Ok("kernel_module", machine.driver_version.empty()
                                  ? "the driver answers"
                                  : fmt::format("NVIDIA's driver {}", machine.driver_version));
    return;
  }
  if (machine.modules && machine.modules->contains("nvidia"))
    return static_cast<void>(steps.Ok("kernel_module", "the module nvidia is loaded"));
  if (machine.modules || machine.is_live)
    return NotLoaded(machine, "NVIDIA's driver is not loaded into the kernel", steps);
  if (machine.management && Holds(machine.management->words, "couldn't communicate"))
    return NotLoaded(machine, "nvidia-smi could not communicate with the driver: it is not loaded, or hangs", steps);
  if (machine.management && Holds(machine.management->words, "not loaded"))
    return NotLoaded(machine, "NVML says that the driver is not loaded", steps);
  steps.Unknown("kernel_module", "nothing tells whether the driver is loaded",
                "give what lsmod and cat /proc/driver/nvidia/version print there: --from FILE");
}

}  // namespace

void CheckKernelModule(const Machine& machine, Steps& steps) {
  const Vendor vendor = machine.MainVendor();
  const Stack* stack = StackOf(vendor);
  if (stack == nullptr) return Nvidia(machine, steps);
  if (stack->modules.empty()) return;
  for (const PciDevice* gpu : machine.PciGpus(vendor)) {
    if (gpu->driver && gpu->driver->starts_with("vfio"))
      return static_cast<void>(steps.Fail("kernel_module",
                                          "the GPU is set aside for virtual machines (" + *gpu->driver + ")",
                                          "use it inside the virtual machine, or give it back to the vendor's driver"));
  }
  for (const std::string_view module : stack->modules) {
    const bool by_device = [&] {
      for (const PciDevice* gpu : machine.PciGpus(vendor)) {
        if (gpu->driver == module) return true;
      }
      return false;
    }();
    if (by_device || (machine.modules && machine.modules->contains(std::string(module))))
      return static_cast<void>(steps.Ok("kernel_module", fmt::format("{} is loaded", module)));
  }
  const bool has_readings = !machine.gpus.empty();
  if (has_readings) steps.Ok("kernel_module", fmt::format("{} reads the device", stack->tool));
  else if (machine.modules || machine.is_live)
    steps.Fail("kernel_module", fmt::format("{} is not loaded into the kernel", stack->modules.front()),
               std::string(stack->install));
  else steps.Unknown("kernel_module", "nothing tells whether the driver is loaded");
}

}  // namespace warpscope::doctor
