// The kernel's side of the driver: modules, version, parameters; services around it.
#include <fmt/format.h>

#include "doctor/probe/probe.h"

namespace warpscope::doctor {
namespace {

// The first word with points and digits only: "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05 ...".
std::string VersionIn(const std::string& line) {
  for (const std::string& word : record::Split(line, ' ')) {
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) return word;
  }
  return {};
}

}  // namespace

void ProbeKernel(const record::System& system, Machine& machine) {
  constexpr size_t kMostBytes = 256u << 10;
  if (const auto text = system.Read("/proc/modules", kMostBytes)) {
    machine.modules.emplace();
    for (const std::string& line : record::Split(*text, '\n')) machine.modules->insert(line.substr(0, line.find(' ')));
  }
  const std::string line = record::FirstLineOf(system, "/proc/driver/nvidia/version");
  machine.nvidia_version = VersionIn(line);
  if (!line.empty()) machine.nvidia_is_open = line.find("Open Kernel Module") != std::string::npos;
  for (const std::string& row : record::Split(system.Read("/proc/driver/nvidia/params").value_or(""), '\n')) {
    const size_t colon = row.find(": ");
    if (colon != std::string::npos) machine.nvidia_params[row.substr(0, colon)] = row.substr(colon + 2);
  }
}

void ProbeNodes(const record::System& system, Machine& machine) {
  const std::vector<std::string> names = system.List("/dev");
  if (names.empty()) return;
  machine.nodes.emplace();
  const auto add = [&](const std::string& path, bool may_open) {
    const auto info = system.Stat(path);
    if (!info || info->is_folder) return;
    DeviceNode node{path, info->is_writable, info->is_writable, false};
    // Only files whose opening has no effect are tried: a control group may forbid what the mode allows.
    constexpr int kNotPermitted = 1;  // EPERM: the kernel's answer for devices; the mode alone gives EACCES
    if (may_open && node.writable) node.is_forbidden = system.OpenError(path) == kNotPermitted;
    machine.nodes->push_back(std::move(node));
  };
  for (const std::string& name : names) {
    if (name.starts_with("nvidia") || name == "kfd" || name == "dxg" || name.starts_with("davinci"))
      add("/dev/" + name, name == "nvidiactl" || name == "nvidia-uvm");
  }
  for (const std::string& name : system.List("/dev/dri")) add("/dev/dri/" + name, false);
  // Control groups of version 1 tell their rules.
  if (const auto rules = system.Read("/sys/fs/cgroup/devices/devices.list"); rules && !machine.container.empty())
    machine.device_rules = record::Split(*rules, '\n');
}

}  // namespace warpscope::doctor
