// peer_access: do devices reach each other's memory. Access control services (ACS) on a bridge, or an IOMMU that
// translates, send traffic between devices through the root: NCCL then hangs or reads wrong data.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

// "NV18" in the matrix of `nvidia-smi topo -m`; the legend's "NV#" is none.
bool HasNvlink(std::string_view topology) {
  for (size_t at = topology.find("NV"); at != std::string_view::npos; at = topology.find("NV", at + 1)) {
    if (at + 2 < topology.size() && topology[at + 2] >= '0' && topology[at + 2] <= '9') return true;
  }
  return false;
}

}  // namespace

void CheckPeerAccess(const Machine& machine, Steps& steps) {
  size_t gpus = 0;
  for (const Gpu& gpu : machine.gpus) gpus += gpu.is_part ? 0 : 1;
  gpus = std::max(gpus, machine.PciGpus(Vendor::kNvidia).size());
  std::vector<std::string> bridges, named;
  for (const Bridge& bridge : machine.bridges) {
    if (!bridge.redirects) continue;
    bridges.push_back(bridge.address);
    if (!bridge.address.empty()) named.push_back(bridge.address);
  }
  const bool has_nvlink = HasNvlink(machine.topology);
  const bool one = gpus < 2 && machine.topology.empty();
  if (bridges.empty() && machine.iommu_translates != true) {
    if (gpus > 1 && (!machine.bridges.empty() || machine.iommu_translates == false))
      steps.Ok("peer_access", "no access control on the bridges sends traffic between devices through the root");
    return;
  }
  if (one || machine.is_virtual) return;  // a virtual machine needs its host to allow that
  std::string evidence;
  if (!bridges.empty())
    evidence = fmt::format("access control (ACS) is on at {}{}", Plural(bridges.size(), "bridge"),
                           named.empty() ? std::string() : " (" + Joined(named) + ")");
  if (machine.iommu_translates == true) evidence += std::string(evidence.empty() ? "" : ", ") + "the IOMMU translates";
  evidence += ": traffic between GPUs over PCIe goes through the root, where NCCL may hang or slow down";
  if (has_nvlink) evidence += " (pairs with NVLink are not concerned)";
  steps.Warn("peer_access", evidence,
             bridges.empty()
                 ? "boot with iommu=pt"
                 : "turn ACS off in the BIOS, or: sudo setpci -s BRIDGE ECAP_ACS+0x6.w=0000; NCCL_P2P_DISABLE=1 "
                   "only works around it");
}

}  // namespace warpscope::doctor
