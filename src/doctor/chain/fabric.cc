// fabric: on machines with NVSwitch, CUDA starts (error 802 otherwise) only after Fabric Manager, in the driver's
// version, has trained the links.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

constexpr std::string_view kStart =
    "sudo systemctl enable --now nvidia-fabricmanager, in the driver's version; on a rented machine only its provider "
    "can do that";

}  // namespace

void CheckFabric(const Machine& machine, Steps& steps) {
  const bool has_switch = machine.pci && std::any_of(machine.pci->begin(), machine.pci->end(),
                                                     [](const PciDevice& one) { return one.is_nvswitch; });
  std::string state;
  std::vector<std::string> waiting;
  for (const Gpu& gpu : machine.gpus) {
    const std::string word = gpu.Text(ReadingName::kFabricState);
    if (word.empty()) continue;
    if (Holds(word, "progress") || Holds(word, "not started")) waiting.push_back(gpu.Label()), state = word;
    else if (state.empty()) state = word;
  }
  const auto& service = machine.fabric_manager;
  const bool not_ready = machine.cuda && machine.cuda->result == 802;
  const std::string& driver = machine.nvidia_version.empty() ? machine.driver_version : machine.nvidia_version;
  const bool differs =
      service && !service->version.empty() && !driver.empty() && CompareVersions(service->version, driver) != 0;
  const bool runs = service && service->is_running;
  if (!has_switch && waiting.empty() && !runs && !not_ready && state.empty()) return;  // no fabric here
  std::string evidence;
  const auto add = [&](const std::string& part) { evidence += (evidence.empty() ? "" : "; ") + part; };
  if (!waiting.empty()) add(fmt::format("fabric state of {}: {}", Joined(waiting, 2), state));
  if (not_ready) add("CUDA answers 802, system not ready");
  if (differs) add(fmt::format("Fabric Manager is of version {}, the driver is {}", service->version, driver));
  const bool stopped = service && !service->is_running;
  if (stopped) add("Fabric Manager does not run" + (service->words.empty() ? "" : " (" + service->words + ")"));
  if (!waiting.empty() || not_ready || differs || (stopped && has_switch)) {
    if (!service) add("Fabric Manager is not seen to run");
    steps.Fail("fabric", evidence,
               differs ? fmt::format("install nvidia-fabricmanager {} and restart it", driver) : std::string(kStart));
  } else if (has_switch && machine.is_live && !service && state.empty()) {
    steps.Warn("fabric", "there are NVSwitches and Fabric Manager is not seen to run", std::string(kStart));
  } else {
    steps.Ok("fabric", state.empty() ? (service && service->is_running ? "Fabric Manager runs" : "NVSwitches are there")
                                     : "fabric state: " + state);
  }
}

}  // namespace warpscope::doctor
