// Devices by NVML, and AMD's by the files of their driver.
#include <fmt/format.h>

#include "doctor/probe/probe.h"

namespace warpscope::doctor {

void ProbeNvml(const ProbeRequest& request, Machine& machine) {
  machine.management.emplace();
  machine.management->works = request.nvml != nullptr;
  if (request.nvml == nullptr) {
    machine.management->words = request.nvml_status.message();
    machine.management->is_missing = request.nvml_status.code() == StatusCode::kNotFound;
    return;
  }
  const device::Nvml& nvml = *request.nvml;
  machine.driver_version = nvml.driver_version(), machine.driver_cuda = nvml.cuda_version();
  for (const device::GpuFacts& facts : nvml.gpus()) {
    Gpu gpu;
    gpu.index = facts.index;
    gpu.name = facts.name, gpu.uuid = facts.uuid;
    gpu.address = PlainAddress(facts.bus_id);
    gpu.compute_major = facts.compute_major, gpu.compute_minor = facts.compute_minor;
    // A device that cannot be opened any more has not even a name.
    gpu.is_lost = facts.name.empty() && facts.bus_id.empty();
    Look look;
    for (device::NamedReading& reading : nvml.Health(facts.index))
      look.values[reading.name] = {reading.value, std::move(reading.text), false};
    if (!look.values.empty()) gpu.looks.push_back(std::move(look));
    gpu.processes.emplace();
    for (const device::ProcessMemory& one : nvml.Holders(facts.index))
      gpu.processes->push_back({static_cast<uint64_t>(one.pid), "",
                                one.used_bytes > 0 ? std::optional(one.used_bytes) : std::nullopt, std::nullopt, 0});
    machine.gpus.push_back(std::move(gpu));
  }
}

void ProbeAmd(const record::System& system, Machine& machine) {
  unsigned index = 0;
  for (const PciDevice* device : machine.PciGpus(Vendor::kAmd)) {
    if (device->driver != "amdgpu") continue;
    const std::string folder = "/sys/bus/pci/devices/" + device->address + "/";
    Gpu gpu;
    gpu.vendor = Vendor::kAmd;
    gpu.index = index++;
    gpu.address = device->address;
    gpu.name = record::FirstLineOf(system, folder + "product_name");
    Look look;
    const auto take = [&](ReadingName name, const std::string& file, double factor) {
      if (const auto value = record::NumberIn(record::FirstLineOf(system, file)))
        look.values[name] = {static_cast<double>(*value) * factor, "", false};
    };
    take(ReadingName::kUtilizationGpu, folder + "gpu_busy_percent", 1);
    take(ReadingName::kMemoryTotal, folder + "mem_info_vram_total", 1);
    take(ReadingName::kMemoryUsed, folder + "mem_info_vram_used", 1);
    take(ReadingName::kPcieReplays, folder + "pcie_replay_count", 1);
    // Units of the kernel's hardware monitors: thousandths of a degree, millionths of a watt.
    for (const std::string& monitor : system.List(folder + "hwmon")) {
      const std::string of = folder + "hwmon/" + monitor + "/";
      take(ReadingName::kTemperatureGpu, of + "temp1_input", 1e-3);
      take(ReadingName::kTemperatureHotspot, of + "temp2_input", 1e-3);
      take(ReadingName::kTemperatureMemory, of + "temp3_input", 1e-3);
      take(ReadingName::kPowerDraw, of + "power1_average", 1e-6);
      take(ReadingName::kPowerLimit, of + "power1_cap", 1e-6);
      take(ReadingName::kPowerLimitDefault, of + "power1_cap_default", 1e-6);
    }
    gpu.looks.push_back(std::move(look));
    machine.gpus.push_back(std::move(gpu));
  }
}

}  // namespace warpscope::doctor
