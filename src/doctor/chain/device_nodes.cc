// device_nodes: are the device's files there, and may this user open them.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

const DeviceNode* Find(const Machine& machine, std::string_view path) {
  const auto found = std::find_if(machine.nodes->begin(), machine.nodes->end(),
                                  [&](const DeviceNode& node) { return node.path == path; });
  return found == machine.nodes->end() ? nullptr : &*found;
}

// "/dev/nvidia0".
bool IsNumbered(const std::string& path) {
  constexpr std::string_view kStart = "/dev/nvidia";
  return path.starts_with(kStart) && path.size() > kStart.size() &&
         path.find_first_not_of("0123456789", kStart.size()) == std::string::npos;
}

bool Allows(const std::string& rule, std::string_view major) {
  // "c 195:* rwm": kind, numbers, what is allowed.
  const size_t numbers = rule.find(' '), rights = rule.find(' ', numbers == std::string::npos ? 0 : numbers + 1);
  if (numbers == std::string::npos || rights == std::string::npos) return false;
  const std::string which = rule.substr(numbers + 1, rights - numbers - 1);
  const bool concerns = rule[0] == 'a' || which.starts_with("*:") || which.starts_with(std::string(major) + ":");
  return concerns && rule.find('r', rights) != std::string::npos && rule.find('w', rights) != std::string::npos;
}

// Since a reload of systemd the control group of the container allows NVIDIA's devices (major number 195) no more.
bool IsForbiddenByRules(const Machine& machine) {
  if (!machine.device_rules) return false;
  constexpr std::string_view kNvidiaMajor = "195";
  bool is_named = false;
  for (const std::string& rule : *machine.device_rules) {
    if (Allows(rule, kNvidiaMajor)) return false;
    is_named = is_named || rule.find("195:") != std::string::npos;
  }
  return is_named || !machine.device_rules->empty();
}

void Forbidden(const Machine& machine, std::string evidence, Steps& steps) {
  steps.Fail(
      "device_nodes", std::move(evidence),
      RestartContainer(machine.container) +
          "; for good: let the runtime create its nodes (nvidia-ctk system create-dev-char-symlinks, or CDI), or "
          "use the cgroupfs driver");
}

void Nvidia(const Machine& machine, Steps& steps) {
  if (IsForbiddenByRules(machine))
    return Forbidden(
        machine,
        "the container's control group does not let NVIDIA's devices be opened (no rule \"c 195:* rw\"): a "
        "reload of systemd on the host takes that away",
        steps);
  if (!machine.nodes) {
    if (machine.is_windows || (machine.management && machine.management->works))
      return;  // what answers over them proves that they work, all but nvidia-uvm
    steps.Unknown("device_nodes", "no list of the device's files",
                  "give what ls -l /dev/nvidia* prints there: --from FILE");
    return;
  }
  std::vector<std::string> missing, refused, forbidden;
  const auto numbered = std::count_if(machine.nodes->begin(), machine.nodes->end(),
                                      [](const DeviceNode& one) { return IsNumbered(one.path); });
  if (numbered == 0 && !machine.nodes_are_partial) missing.emplace_back("/dev/nvidia0");
  for (const std::string_view path : {"/dev/nvidiactl", "/dev/nvidia-uvm"}) {
    if (Find(machine, path) == nullptr && !machine.nodes_are_partial) missing.emplace_back(path);
  }
  for (const std::string& path : machine.missing_nodes) {
    const bool is_needed = IsNumbered(path) || path == "/dev/nvidiactl" || path == "/dev/nvidia-uvm";
    if (is_needed && Find(machine, path) == nullptr && std::find(missing.begin(), missing.end(), path) == missing.end())
      missing.push_back(path);
  }
  for (const DeviceNode& node : *machine.nodes) {
    if (!node.path.starts_with("/dev/nvidia")) continue;
    if (node.is_forbidden) forbidden.push_back(node.path);
    else if ((IsNumbered(node.path) || node.path == "/dev/nvidiactl" || node.path == "/dev/nvidia-uvm") &&
             (!node.readable || !node.writable))
      refused.push_back(node.path);
  }
  const std::string where = machine.container.empty() ? "" : " in this container (" + machine.container + ")";
  const bool only_uvm = missing.size() == 1 && missing[0] == "/dev/nvidia-uvm";
  if (!missing.empty()) {
    std::string evidence = Joined(missing) + ": missing" + where;
    if (only_uvm) evidence += "; nvidia-smi works without it, CUDA does not (cuInit answers 999)";
    if (only_uvm && machine.modules && !machine.modules->contains("nvidia_uvm"))
      evidence += "; nvidia_uvm is not loaded";
    steps.Fail("device_nodes", evidence,
               machine.container.empty() ? "sudo modprobe nvidia_uvm; sudo nvidia-modprobe -u -c 0"
               : only_uvm ? "on the host: sudo nvidia-modprobe -u -c 0; then " + RestartContainer(machine.container) +
                                " with /dev/nvidia-uvm"
                          : DeviceFlags(machine.container));
    return;
  }
  if (!forbidden.empty())
    return Forbidden(machine, Joined(forbidden) + ": there, and the control group forbids to open it" + where, steps);
  if (!refused.empty()) {
    steps.Fail("device_nodes", Joined(refused) + ": no permission" + where,
               "add your user to the group that owns them: ls -l " + refused[0]);
    return;
  }
  if (machine.nodes_are_partial) return;  // nothing tells of the others
  const PciDevice* unlisted = nullptr;
  const auto on_bus = machine.PciGpus(Vendor::kNvidia);
  if (!on_bus.empty() && machine.container.empty() && static_cast<size_t>(numbered) < on_bus.size())
    unlisted = on_bus[0];
  if (unlisted != nullptr) {
    steps.Warn("device_nodes",
               fmt::format("{} for {} on the bus", Plural(static_cast<size_t>(numbered), "device file"),
                           Plural(on_bus.size(), "GPU")),
               "sudo nvidia-modprobe -c 0 -c 1 ... makes the missing ones; if it fails, see: warpscope faults");
    return;
  }
  steps.Ok("device_nodes",
           fmt::format("{}, nvidiactl, nvidia-uvm", Plural(static_cast<size_t>(numbered), "device file")));
}

void Other(const Machine& machine, const Stack& stack, Steps& steps) {
  if (!machine.nodes) return;
  std::vector<std::string> missing, refused;
  for (const std::string_view start : stack.nodes) {
    bool found = false;
    for (const DeviceNode& node : *machine.nodes) {
      if (!node.path.starts_with(start)) continue;
      found = true;
      if (!node.readable || !node.writable) refused.push_back(node.path);
    }
    if (!found) missing.emplace_back(start);
  }
  if (!missing.empty())
    steps.Fail("device_nodes", Joined(missing) + ": missing",
               machine.container.empty()
                   ? "load the driver; its files appear with it"
                   : "start the container with: --device " + missing[0] + " (and the other files)");
  else if (!refused.empty())
    steps.Fail("device_nodes", Joined(refused) + ": no permission",
               fmt::format("add your user to {}: sudo usermod -aG ... $USER, and log in again", stack.groups));
  else steps.Ok("device_nodes", "there, and this user may open them");
}

}  // namespace

void CheckDeviceNodes(const Machine& machine, Steps& steps) {
  if (machine.is_wsl) return;
  const Stack* stack = StackOf(machine.MainVendor());
  if (stack != nullptr) Other(machine, *stack, steps);
  else Nvidia(machine, steps);
}

}  // namespace warpscope::doctor
