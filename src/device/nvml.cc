#include "device/nvml.h"

#include <dlfcn.h>

#include <array>

// Names, numbers and layouts: NVIDIA's public nvml.h.
namespace warpscope::device {
namespace {

constexpr int kSuccess = 0;
constexpr unsigned kTextBytes = 96;

struct Utilization {
  unsigned gpu, memory;
};
struct MemoryInfo {
  unsigned long long total, free, used;
};
struct PciInfo {  // nvmlPciInfo_t (v3)
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};

}  // namespace

struct Nvml::Functions {
#define WS_NVML(X)                                                       \
  X(Init_v2, ())                                                         \
  X(Shutdown, ())                                                        \
  X(SystemGetDriverVersion, (char*, unsigned))                           \
  X(SystemGetCudaDriverVersion_v2, (int*))                               \
  X(DeviceGetCount_v2, (unsigned*))                                      \
  X(DeviceGetHandleByIndex_v2, (unsigned, void**))                       \
  X(DeviceGetName, (void*, char*, unsigned))                             \
  X(DeviceGetUUID, (void*, char*, unsigned))                             \
  X(DeviceGetPciInfo_v3, (void*, PciInfo*))                              \
  X(DeviceGetUtilizationRates, (void*, Utilization*))                    \
  X(DeviceGetMemoryInfo, (void*, MemoryInfo*))                           \
  X(DeviceGetPowerUsage, (void*, unsigned*))                             \
  X(DeviceGetEnforcedPowerLimit, (void*, unsigned*))                     \
  X(DeviceGetTemperature, (void*, unsigned, unsigned*))                  \
  X(DeviceGetClockInfo, (void*, unsigned, unsigned*))                    \
  X(DeviceGetMaxClockInfo, (void*, unsigned, unsigned*))                 \
  X(DeviceGetCurrentClocksThrottleReasons, (void*, unsigned long long*)) \
  X(DeviceGetPersistenceMode, (void*, unsigned*))                        \
  X(DeviceGetComputeMode, (void*, unsigned*))                            \
  X(DeviceGetMigMode, (void*, unsigned*, unsigned*))                     \
  X(DeviceGetEccMode, (void*, unsigned*, unsigned*))                     \
  X(DeviceGetCurrPcieLinkGeneration, (void*, unsigned*))                 \
  X(DeviceGetCurrPcieLinkWidth, (void*, unsigned*))                      \
  X(DeviceGetMaxPcieLinkGeneration, (void*, unsigned*))                  \
  X(DeviceGetMaxPcieLinkWidth, (void*, unsigned*))
#define X(name, arguments) int(*name) arguments = nullptr;
  WS_NVML(X)
#undef X
};

namespace {

template <typename F, typename... A>
std::optional<unsigned> One(F* function, A... arguments) {
  unsigned value = 0;
  if (function == nullptr || function(arguments..., &value) != kSuccess) return std::nullopt;
  return value;
}

template <typename F>
std::optional<bool> FirstOfTwo(F* function, void* device) {
  unsigned now = 0, pending = 0;
  if (function == nullptr || function(device, &now, &pending) != kSuccess) return std::nullopt;
  return now != 0;
}

template <typename F>
std::string TextOf(F* function, void* device) {
  std::array<char, kTextBytes> text{};
  if (function == nullptr || function(device, text.data(), kTextBytes) != kSuccess) return {};
  text.back() = '\0';
  return text.data();
}

std::optional<double> Scaled(std::optional<unsigned> value, double factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}

}  // namespace

Result<Nvml> Nvml::Open() {
  Nvml nvml;
  nvml.library_ = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (nvml.library_ == nullptr)
    return Status(StatusCode::kNotFound,
                  "libnvidia-ml.so.1 was not found: no NVIDIA driver is installed or visible here");
  nvml.functions_ = std::make_unique<Functions>();
#define X(name, arguments) \
  nvml.functions_->name = reinterpret_cast<decltype(nvml.functions_->name)>(::dlsym(nvml.library_, "nvml" #name));
  WS_NVML(X)
#undef X
  const Functions& f = *nvml.functions_;
  const int result = f.Init_v2 == nullptr ? -1 : f.Init_v2();
  if (result != kSuccess) {
    constexpr int kDriverNotLoaded = 9, kMismatch = 18, kNoPermission = 4;
    std::string why = "NVML answered " + std::to_string(result);
    if (result == kDriverNotLoaded) why = "the NVIDIA driver is not loaded";
    if (result == kMismatch)
      why = "the driver in the kernel and its libraries are of different versions; reboot or reload the driver";
    if (result == kNoPermission) why = "there is no permission for the NVIDIA devices";
    nvml.functions_.reset();
    return Status(StatusCode::kIo, why);
  }
  nvml.ReadFacts();
  return nvml;
}

Nvml::Nvml(Nvml&& other) noexcept
    : library_(other.library_),
      functions_(std::move(other.functions_)),
      handles_(std::move(other.handles_)),
      gpus_(std::move(other.gpus_)),
      driver_version_(std::move(other.driver_version_)),
      cuda_version_(std::move(other.cuda_version_)) {
  other.library_ = nullptr;
}

Nvml::~Nvml() {
  if (functions_ != nullptr && functions_->Shutdown != nullptr) functions_->Shutdown();
  if (library_ != nullptr) ::dlclose(library_);
}

void Nvml::ReadFacts() {
  const Functions& f = *functions_;
  std::array<char, kTextBytes> text{};
  if (f.SystemGetDriverVersion != nullptr && f.SystemGetDriverVersion(text.data(), kTextBytes) == kSuccess)
    driver_version_ = text.data();
  int cuda = 0;
  if (f.SystemGetCudaDriverVersion_v2 != nullptr && f.SystemGetCudaDriverVersion_v2(&cuda) == kSuccess)
    cuda_version_ = std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
  const unsigned count = One(f.DeviceGetCount_v2).value_or(0);
  for (unsigned index = 0; index < count; ++index) {
    void* device = nullptr;
    if (f.DeviceGetHandleByIndex_v2 == nullptr || f.DeviceGetHandleByIndex_v2(index, &device) != kSuccess)
      device = nullptr;
    handles_.push_back(device);
    GpuFacts facts;
    facts.index = index;
    if (device != nullptr) {
      facts.name = TextOf(f.DeviceGetName, device);
      facts.uuid = TextOf(f.DeviceGetUUID, device);
      PciInfo pci{};
      if (f.DeviceGetPciInfo_v3 != nullptr && f.DeviceGetPciInfo_v3(device, &pci) == kSuccess) {
        pci.bus_id[sizeof(pci.bus_id) - 1] = '\0';
        facts.bus_id = pci.bus_id;
      }
      constexpr std::array<const char*, 4> kModes = {"default", "one thread", "prohibited", "one process"};
      if (const auto mode = One(f.DeviceGetComputeMode, device); mode && *mode < kModes.size())
        facts.compute_mode = kModes[*mode];
      if (const auto on = One(f.DeviceGetPersistenceMode, device)) facts.persistence_mode = *on != 0;
      facts.mig_mode = FirstOfTwo(f.DeviceGetMigMode, device);
      facts.ecc_mode = FirstOfTwo(f.DeviceGetEccMode, device);
      facts.power_limit_watts = Scaled(One(f.DeviceGetEnforcedPowerLimit, device), 1e-3);
      facts.clock_max_sm_mhz = Scaled(One(f.DeviceGetMaxClockInfo, device, 1U), 1);
      facts.clock_max_memory_mhz = Scaled(One(f.DeviceGetMaxClockInfo, device, 2U), 1);
      MemoryInfo memory{};
      if (f.DeviceGetMemoryInfo != nullptr && f.DeviceGetMemoryInfo(device, &memory) == kSuccess)
        facts.memory_total_bytes = memory.total;
      facts.pcie_gen_max = One(f.DeviceGetMaxPcieLinkGeneration, device);
      facts.pcie_width_max = One(f.DeviceGetMaxPcieLinkWidth, device);
    }
    gpus_.push_back(std::move(facts));
  }
}

GpuSample Nvml::Sample(unsigned index) const {
  GpuSample sample;
  if (index >= handles_.size() || handles_[index] == nullptr) return sample;
  const Functions& f = *functions_;
  void* device = handles_[index];
  Utilization utilization{};
  if (f.DeviceGetUtilizationRates != nullptr && f.DeviceGetUtilizationRates(device, &utilization) == kSuccess) {
    sample.utilization_gpu_pct = utilization.gpu;
    sample.utilization_memory_pct = utilization.memory;
  }
  MemoryInfo memory{};
  if (f.DeviceGetMemoryInfo != nullptr && f.DeviceGetMemoryInfo(device, &memory) == kSuccess)
    sample.memory_used_bytes = memory.used;
  sample.power_watts = Scaled(One(f.DeviceGetPowerUsage, device), 1e-3);
  sample.temperature_celsius = Scaled(One(f.DeviceGetTemperature, device, 0U), 1);
  sample.clock_sm_mhz = Scaled(One(f.DeviceGetClockInfo, device, 1U), 1);
  sample.clock_memory_mhz = Scaled(One(f.DeviceGetClockInfo, device, 2U), 1);
  unsigned long long reasons = 0;
  if (f.DeviceGetCurrentClocksThrottleReasons != nullptr &&
      f.DeviceGetCurrentClocksThrottleReasons(device, &reasons) == kSuccess)
    sample.throttle_reasons = reasons;
  sample.pcie_gen = One(f.DeviceGetCurrPcieLinkGeneration, device);
  sample.pcie_width = One(f.DeviceGetCurrPcieLinkWidth, device);
  return sample;
}

}  // namespace warpscope::device
