#include "doctor/probe/probe.h"

#include <fmt/format.h>

#include <algorithm>

#include "doctor/physical.h"
#include "record/cupti_search.h"

namespace warpscope::doctor {

Machine Probe(const record::System& system, const ProbeRequest& request) {
  Machine machine;
  machine.is_live = true;
  machine.container = record::ContainerKind(system);
  machine.is_wsl = record::IsWsl(system);
  ProbeBus(system, machine);
  ProbeKernel(system, machine);
  ProbeNodes(system, machine);
  const auto python = record::FindPython(system, request.program);
  if (python) machine.python = python->interpreter;
  ProbeNvml(request, machine);
  ProbeAmd(system, machine);
  if (request.cuda != nullptr) machine.cuda = *request.cuda;
  ProbeLibraries(system, python, machine);
  for (const record::Toolkit& one : record::FindToolkits(system)) machine.toolkits.push_back({one.folder, one.version});
  ProbeFrameworks(system, python, machine);
  ProbeHost(system, machine);
  ProbeProcesses(system, machine);
  RejectImpossible(machine);
  JoinCuda(machine);
  return machine;
}

void JoinCuda(Machine& machine) {
  for (Gpu& gpu : machine.gpus) {
    if (!gpu.compute_major && gpu.vendor == Vendor::kNvidia) {
      if (const auto known = ComputeCapabilityOf(gpu.name, gpu.Text(ReadingName::kArchitecture)))
        gpu.compute_major = known->first, gpu.compute_minor = known->second;
    }
    if (!machine.cuda) continue;
    for (const device::CudaDevice& device : machine.cuda->devices) {
      if (gpu.address.empty() || PlainAddress(device.bus_id) != gpu.address) continue;
      gpu.compute_major = device.compute_major, gpu.compute_minor = device.compute_minor;
      gpu.is_integrated = device.integrated;
    }
  }
  if (!machine.cuda || !machine.gpus.empty()) return;
  for (const device::CudaDevice& device : machine.cuda->devices) {
    Gpu gpu;
    gpu.index = static_cast<unsigned>(machine.gpus.size());
    gpu.name = device.name;
    gpu.address = PlainAddress(device.bus_id);
    gpu.compute_major = device.compute_major, gpu.compute_minor = device.compute_minor;
    gpu.is_integrated = device.integrated;
    machine.gpus.push_back(std::move(gpu));
  }
}

}  // namespace warpscope::doctor
