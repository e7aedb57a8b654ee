// network: ports of InfiniBand and RoCE adapters that should carry traffic between machines.
#include <fmt/format.h>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {

void CheckNetwork(const Machine& machine, Steps& steps) {
  if (machine.ports.empty()) return;
  std::vector<std::string> down, disabled;
  double fastest = 0;
  size_t up = 0;
  for (const NetworkPort& port : machine.ports) {
    const bool is_up = Holds(port.state, "active");
    if (is_up) fastest = std::max(fastest, port.gbit_per_s.value_or(0)), ++up;
    else if (Holds(port.physical_state, "disabled")) disabled.push_back(port.adapter);
    else down.push_back(fmt::format("{} port {} ({}, {})", port.adapter, port.port, port.state, port.physical_state));
  }
  for (const std::string& adapter : disabled) down.push_back(adapter + " (disabled)");
  std::vector<std::string> slow;
  for (const NetworkPort& port : machine.ports) {
    if (Holds(port.state, "active") && Holds(port.layer, "infiniband") && port.gbit_per_s && *port.gbit_per_s < fastest)
      slow.push_back(fmt::format("{} at {:.0f} Gbit/s", port.adapter, *port.gbit_per_s));
  }
  if (!down.empty())
    steps.Warn("network",
               fmt::format("{} of {} network ports are down: {}", down.size(), machine.ports.size(), Joined(down, 6)),
               "check cable and switch port, or leave them out: NCCL_IB_HCA=...; state: ibstat");
  else if (!slow.empty())
    steps.Warn("network", fmt::format("slower than the others ({:.0f} Gbit/s): {}", fastest, Joined(slow)),
               "check the cable and the switch port of it");
  else steps.Ok("network", fmt::format("{} up, {:.0f} Gbit/s", Plural(up, "network port"), fastest));
}

}  // namespace warpscope::doctor
