// Nvml: the readings that change while a program runs.
#include <array>

#include "device/nvml_functions.h"

namespace warpscope::device {

GpuSample Nvml::Sample(unsigned index) const {
  GpuSample sample;
  if (index >= handles_.size() || handles_[index] == nullptr) return sample;
  const Functions& f = *functions_;
  void* device = handles_[index];
  NvmlUtilization utilization{};
  if (f.DeviceGetUtilizationRates != nullptr && f.DeviceGetUtilizationRates(device, &utilization) == kNvmlSuccess) {
    sample.utilization_gpu_pct = utilization.gpu;
    sample.utilization_memory_pct = utilization.memory;
  }
  NvmlMemory memory{};
  if (f.DeviceGetMemoryInfo != nullptr && f.DeviceGetMemoryInfo(device, &memory) == kNvmlSuccess)
    sample.memory_used_bytes = memory.used;
  sample.power_watts = Scaled(NvmlNumber(f.DeviceGetPowerUsage, device), 1e-3);
  sample.temperature_celsius = Scaled(NvmlNumber(f.DeviceGetTemperature, device, 0U), 1);
  sample.clock_sm_mhz = Scaled(NvmlNumber(f.DeviceGetClockInfo, device, 1U), 1);
  sample.clock_memory_mhz = Scaled(NvmlNumber(f.DeviceGetClockInfo, device, 2U), 1);
  unsigned long long reasons = 0;
  if (f.DeviceGetCurrentClocksThrottleReasons != nullptr &&
      f.DeviceGetCurrentClocksThrottleReasons(device, &reasons) == kNvmlSuccess)
    sample.throttle_reasons = reasons;
  return sample;
}

SlowSample Nvml::Slow(unsigned index) const {
  SlowSample sample;
  if (index >= handles_.size() || handles_[index] == nullptr) return sample;
  const Functions& f = *functions_;
  void* device = handles_[index];
  sample.pcie_gen = NvmlNumber(f.DeviceGetCurrPcieLinkGeneration, device);
  sample.pcie_width = NvmlNumber(f.DeviceGetCurrPcieLinkWidth, device);
  constexpr unsigned kDataSent = 138, kDataReceived = 139, kAllLinks = UINT32_MAX;
  std::array<NvmlFieldValue, 2> fields{};
  fields[0].field = kDataSent, fields[1].field = kDataReceived;
  fields[0].scope = fields[1].scope = kAllLinks;
  constexpr uint64_t kKibibyte = 1024;
  if (f.DeviceGetFieldValues != nullptr && f.DeviceGetFieldValues(device, 2, fields.data()) == kNvmlSuccess &&
      fields[0].result == kNvmlSuccess && fields[1].result == kNvmlSuccess)
    sample.nvlink_bytes = (fields[0].value + fields[1].value) * kKibibyte;
  std::array<NvmlProcess, 128> processes{};
  auto count = static_cast<unsigned>(processes.size());
  constexpr unsigned long long kNotTold = ~0ULL;
  if (f.DeviceGetComputeRunningProcesses_v3 != nullptr &&
      f.DeviceGetComputeRunningProcesses_v3(device, &count, processes.data()) == kNvmlSuccess) {
    for (unsigned i = 0; i < count && i < processes.size(); ++i) {
      if (processes[i].used_bytes != kNotTold)
        sample.processes.push_back({static_cast<int>(processes[i].pid), processes[i].used_bytes});
    }
  }
  return sample;
}

std::optional<double> Nvml::PcieBytesPerS(unsigned index, PcieDirection direction) const {
  if (index >= handles_.size() || handles_[index] == nullptr) return std::nullopt;
  constexpr double kBytes = 1000;  // NVML counts KB a second
  return Scaled(NvmlNumber(functions_->DeviceGetPcieThroughput, handles_[index], static_cast<unsigned>(direction)),
                kBytes);
}

}  // namespace warpscope::device
