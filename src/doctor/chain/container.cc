// container: what a container was given, and whether its engine can give devices at all.
#include <fmt/format.h>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {

void CheckContainer(const Machine& machine, Steps& steps) {
  if (machine.is_wsl) steps.Ok("wsl", "Windows Subsystem for Linux: the driver is that of Windows");
  if (machine.container.empty()) {
    if (machine.container_toolkit == false)
      steps.Warn("container",
                 "a container engine is installed, NVIDIA's container toolkit is not: containers get no GPU",
                 "install nvidia-container-toolkit, then: sudo nvidia-ctk runtime configure --runtime=docker");
    else if (machine.is_live) steps.Ok("container", "not inside a container");
    return;
  }
  const std::string visible = machine.Variable("NVIDIA_VISIBLE_DEVICES");
  const std::string capabilities = machine.Variable("NVIDIA_DRIVER_CAPABILITIES");
  const std::string kind = "inside a container (" + machine.container + ")";
  if (visible == "void" || visible == "none") {
    steps.Warn("container", fmt::format("{}: NVIDIA_VISIBLE_DEVICES={} keeps every device out", kind, visible),
               DeviceFlags(machine.container));
  } else if (!capabilities.empty() && capabilities != "all" && !Holds(capabilities, "compute")) {
    steps.Warn("container",
               fmt::format("{}: NVIDIA_DRIVER_CAPABILITIES={} leaves CUDA's library out", kind, capabilities),
               LibraryFlags(machine.container));
  } else {
    steps.Ok("container", visible.empty() ? kind : fmt::format("{}, NVIDIA_VISIBLE_DEVICES={}", kind, visible));
  }
}

}  // namespace warpscope::doctor
