// Nvml: what tells the health of a device. Numbers of enumerations and their meaning: NVIDIA's public nvml.h.
#include <algorithm>
#include <array>

#include "device/nvml_functions.h"

namespace warpscope::device {
namespace {

using model::ReadingName;

class Readings {
 public:
  void Number(ReadingName name, std::optional<double> value) {
    if (value) all_.push_back({name, value, {}});
  }
  void Word(ReadingName name, std::string text) { all_.push_back({name, std::nullopt, std::move(text)}); }
  std::vector<NamedReading> Take() { return std::move(all_); }

 private:
  std::vector<NamedReading> all_;
};

template <typename F, typename... A>
std::optional<double> Wide(F* function, A... arguments) {
  unsigned long long value = 0;
  if (function == nullptr || function(arguments..., &value) != kNvmlSuccess) return std::nullopt;
  return static_cast<double>(value);
}

struct Bit {
  uint64_t mask;
  ReadingName name;
};
constexpr std::array kReasons = {
    Bit{kThrottleIdle, ReadingName::kThrottleIdle},
    Bit{kThrottleAppClocks, ReadingName::kThrottleAppClocks},
    Bit{kThrottlePowerCap, ReadingName::kThrottleSwPowerCap},
    Bit{kThrottleHwSlowdown, ReadingName::kThrottleHwSlowdown},
    Bit{kThrottleSyncBoost, ReadingName::kThrottleSyncBoost},
    Bit{kThrottleSwThermal, ReadingName::kThrottleSwThermal},
    Bit{kThrottleHwThermal, ReadingName::kThrottleHwThermal},
    Bit{kThrottlePowerBrake, ReadingName::kThrottleHwPowerBrake},
    Bit{kThrottleDisplay, ReadingName::kThrottleDisplay},
};

}  // namespace

std::vector<NamedReading> Nvml::Health(unsigned index) const {
  Readings to;
  if (index >= handles_.size() || handles_[index] == nullptr) return to.Take();
  const Functions& f = *functions_;
  void* device = handles_[index];
  const GpuFacts& facts = gpus_[index];
  const GpuSample now = Sample(index);
  to.Number(ReadingName::kUtilizationGpu, now.utilization_gpu_pct);
  to.Number(ReadingName::kPowerDraw, now.power_watts);
  to.Number(ReadingName::kTemperatureGpu, now.temperature_celsius);
  to.Number(ReadingName::kClockSm, now.clock_sm_mhz);
  to.Number(ReadingName::kClockMemory, now.clock_memory_mhz);
  if (now.memory_used_bytes) to.Number(ReadingName::kMemoryUsed, static_cast<double>(*now.memory_used_bytes));
  if (facts.memory_total_bytes) to.Number(ReadingName::kMemoryTotal, static_cast<double>(*facts.memory_total_bytes));
  to.Number(ReadingName::kClockMaxSm, facts.clock_max_sm_mhz);
  to.Number(ReadingName::kClockMaxMemory, facts.clock_max_memory_mhz);
  to.Number(ReadingName::kClockLimitGraphics, facts.clock_limit_sm_mhz);
  to.Number(ReadingName::kPowerLimit, facts.power_limit_watts);
  for (const Bit& bit : kReasons) {
    if (now.throttle_reasons) to.Number(bit.name, (*now.throttle_reasons & bit.mask) != 0 ? 1 : 0);
  }
  for (const auto& [name, value] :
       {std::pair{ReadingName::kEccMode, facts.ecc_mode}, std::pair{ReadingName::kMigMode, facts.mig_mode},
        std::pair{ReadingName::kPersistenceMode, facts.persistence_mode}}) {
    if (value) to.Number(name, *value ? 1 : 0);
  }
  if (facts.compute_mode) to.Word(ReadingName::kComputeMode, *facts.compute_mode);
  const auto pcie = [&](ReadingName name, const std::optional<unsigned>& value) {
    if (value) to.Number(name, *value);
  };
  const SlowSample slow = Slow(index);
  pcie(ReadingName::kPcieGenCurrent, slow.pcie_gen);
  pcie(ReadingName::kPcieWidthCurrent, slow.pcie_width);
  pcie(ReadingName::kPcieGenMax, facts.pcie_gen_max);
  pcie(ReadingName::kPcieWidthMax, facts.pcie_width_max);

  constexpr unsigned kShutdown = 0, kSlowdown = 1, kGpuMax = 3;
  to.Number(ReadingName::kTemperatureShutdown,
            Scaled(NvmlNumber(f.DeviceGetTemperatureThreshold, device, kShutdown), 1));
  to.Number(ReadingName::kTemperatureSlowdown,
            Scaled(NvmlNumber(f.DeviceGetTemperatureThreshold, device, kSlowdown), 1));
  to.Number(ReadingName::kTemperatureMaxOperating,
            Scaled(NvmlNumber(f.DeviceGetTemperatureThreshold, device, kGpuMax), 1));
  to.Number(ReadingName::kFanSpeed, Scaled(NvmlNumber(f.DeviceGetFanSpeed, device), 1));
  to.Number(ReadingName::kPstate, Scaled(NvmlNumber(f.DeviceGetPerformanceState, device), 1));
  to.Number(ReadingName::kPowerLimitDefault, Scaled(NvmlNumber(f.DeviceGetPowerManagementDefaultLimit, device), 1e-3));
  unsigned low = 0, high = 0;
  if (f.DeviceGetPowerManagementLimitConstraints != nullptr &&
      f.DeviceGetPowerManagementLimitConstraints(device, &low, &high) == kNvmlSuccess) {
    to.Number(ReadingName::kPowerLimitMin, low * 1e-3);
    to.Number(ReadingName::kPowerLimitMax, high * 1e-3);
  }
  constexpr unsigned kCorrected = 0, kUncorrected = 1, kVolatile = 0, kAggregate = 1;
  to.Number(ReadingName::kEccCorrected, Wide(f.DeviceGetTotalEccErrors, device, kCorrected, kVolatile));
  to.Number(ReadingName::kEccUncorrected, Wide(f.DeviceGetTotalEccErrors, device, kUncorrected, kVolatile));
  to.Number(ReadingName::kEccCorrectedLifetime, Wide(f.DeviceGetTotalEccErrors, device, kCorrected, kAggregate));
  to.Number(ReadingName::kEccUncorrectedLifetime, Wide(f.DeviceGetTotalEccErrors, device, kUncorrected, kAggregate));
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (f.DeviceGetRemappedRows != nullptr &&
      f.DeviceGetRemappedRows(device, &corrected, &uncorrected, &pending, &failed) == kNvmlSuccess) {
    to.Number(ReadingName::kRemappedCorrectable, corrected);
    to.Number(ReadingName::kRemappedUncorrectable, uncorrected);
    to.Number(ReadingName::kRemappedPending, pending != 0 ? 1 : 0);
    to.Number(ReadingName::kRemappedFailure, failed != 0 ? 1 : 0);
  }
  // Asked with no room for addresses, the driver answers "insufficient size" and the count.
  constexpr int kInsufficientSize = 7;
  constexpr unsigned kSingleBit = 0, kDoubleBit = 1;
  for (const auto& [cause, name] : {std::pair{kSingleBit, ReadingName::kPagesRetiredSingle},
                                    std::pair{kDoubleBit, ReadingName::kPagesRetiredDouble}}) {
    unsigned count = 0;
    const int result =
        f.DeviceGetRetiredPages == nullptr ? -1 : f.DeviceGetRetiredPages(device, cause, &count, nullptr);
    if (result == kNvmlSuccess || result == kInsufficientSize) to.Number(name, count);
  }
  to.Number(ReadingName::kPageRetirementPending, Scaled(NvmlNumber(f.DeviceGetRetiredPagesPendingStatus, device), 1));
  NvmlBar1 bar1{};
  if (f.DeviceGetBAR1MemoryInfo != nullptr && f.DeviceGetBAR1MemoryInfo(device, &bar1) == kNvmlSuccess) {
    to.Number(ReadingName::kBar1Total, static_cast<double>(bar1.total));
    to.Number(ReadingName::kBar1Used, static_cast<double>(bar1.used));
  }
  to.Number(ReadingName::kPcieReplays, Scaled(NvmlNumber(f.DeviceGetPcieReplayCounter, device), 1));
  constexpr unsigned kPower = 0, kThermal = 1;
  for (const auto& [policy, name] :
       {std::pair{kPower, ReadingName::kThrottlePowerTime}, std::pair{kThermal, ReadingName::kThrottleThermalTime}}) {
    NvmlViolation time{};
    if (f.DeviceGetViolationStatus != nullptr && f.DeviceGetViolationStatus(device, policy, &time) == kNvmlSuccess)
      to.Number(name, static_cast<double>(time.violation));
  }
  constexpr unsigned kMostLinks = 18, kMostCounters = 4;  // NVML_NVLINK_MAX_LINKS, nvmlNvLinkErrorCounter_t
  unsigned up = 0, down = 0;
  double errors = 0;
  for (unsigned link = 0; link < kMostLinks; ++link) {
    const auto state = NvmlNumber(f.DeviceGetNvLinkState, device, link);
    if (!state) continue;
    ++(*state != 0 ? up : down);
    for (unsigned counter = 0; counter < kMostCounters && *state != 0; ++counter)
      errors += Wide(f.DeviceGetNvLinkErrorCounter, device, link, counter).value_or(0);
  }
  if (up + down > 0) {
    to.Number(ReadingName::kNvlinkLinks, up);
    to.Number(ReadingName::kNvlinkLinksDown, down);
    to.Number(ReadingName::kNvlinkErrors, errors);
  }
  constexpr std::array<const char*, 4> kFabric = {"N/A", "Not Started", "In Progress", "Completed"};
  NvmlFabric fabric{};
  if (f.DeviceGetGpuFabricInfo != nullptr && f.DeviceGetGpuFabricInfo(device, &fabric) == kNvmlSuccess &&
      fabric.state > 0 && fabric.state < kFabric.size())
    to.Word(ReadingName::kFabricState, kFabric[fabric.state]);
  return to.Take();
}

std::vector<ProcessMemory> Nvml::Holders(unsigned index) const {
  std::vector<ProcessMemory> holders;
  if (index >= handles_.size() || handles_[index] == nullptr) return holders;
  constexpr unsigned long long kNotTold = ~0ULL;
  for (const auto& list :
       {functions_->DeviceGetComputeRunningProcesses_v3, functions_->DeviceGetGraphicsRunningProcesses_v3}) {
    std::array<NvmlProcess, 512> processes{};
    auto count = static_cast<unsigned>(processes.size());
    if (list == nullptr || list(handles_[index], &count, processes.data()) != kNvmlSuccess) continue;
    for (unsigned i = 0; i < count && i < processes.size(); ++i) {
      const int pid = static_cast<int>(processes[i].pid);
      const uint64_t used = processes[i].used_bytes == kNotTold ? 0 : processes[i].used_bytes;
      const auto same = std::find_if(holders.begin(), holders.end(), [&](const auto& one) { return one.pid == pid; });
      if (same == holders.end()) holders.push_back({pid, used});
    }
  }
  return holders;
}

}  // namespace warpscope::device
