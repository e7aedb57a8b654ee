// recovery: what the driver itself asks for to bring a device back.
#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {

void CheckRecovery(const Machine& machine, const Gpu& gpu, Steps& steps) {
  const std::string reset =
      gpu.address.empty() ? "sudo nvidia-smi --gpu-reset -i ID" : "sudo nvidia-smi --gpu-reset -i " + gpu.address;
  const std::string action = gpu.Text(ReadingName::kRecoveryAction);
  if (gpu.is_lost) {
    steps.Critical("recovery", "its tool lists it and cannot read it (ERR!)",
                   "see what happened to it: warpscope faults; then reset it or restart the machine");
  } else if (Holds(action, "reboot")) {
    steps.Critical("recovery", "the driver asks for a restart of the machine", "drain the machine and restart it");
  } else if (Holds(action, "drain")) {
    steps.Warn(
        "recovery", "the driver asks to drain the device (" + action + ")",
        Holds(action, "reset") ? "let its work end, then: " + reset : "let its work end before more is started on it");
  } else if (Holds(action, "reset") || Holds(action, "flr") || gpu.Is(ReadingName::kResetRequired)) {
    steps.Critical("recovery", "the driver asks for a reset of the device", "end the programs on it, then: " + reset);
  } else if (gpu.Is(ReadingName::kDrainRecommended)) {
    steps.Warn("recovery", "the driver recommends to drain and reset the device", "let its work end, then: " + reset);
  }
  static_cast<void>(machine);
}

}  // namespace warpscope::doctor
