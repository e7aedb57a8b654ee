#include "device/nvml.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>

#include "device/nvml_functions.h"

namespace warpscope::device {
namespace {

template <typename F>
std::optional<bool> FirstOfTwo(F* function, void* device) {
  unsigned now = 0, pending = 0;
  if (function == nullptr || function(device, &now, &pending) != kNvmlSuccess) return std::nullopt;
  return now != 0;
}

template <typename F>
std::string TextOf(F* function, void* device) {
  std::array<char, kNvmlTextBytes> text{};
  if (function == nullptr || function(device, text.data(), kNvmlTextBytes) != kNvmlSuccess) return {};
  text.back() = '\0';
  return text.data();
}

}  // namespace

Result<Nvml> Nvml::Open() {
  Nvml nvml;
  const char* named = std::getenv("WARPSCOPE_NVML");
  nvml.library_ = ::dlopen(named != nullptr && *named != '\0' ? named : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (nvml.library_ == nullptr) {
    // The loader's own words tell a file that is there and cannot be used from none at all.
    const char* const words = ::dlerror();
    const std::string why = words == nullptr ? "" : words;
    if (why.empty() || why.find("No such file") != std::string::npos)
      return Status(StatusCode::kNotFound,
                    "libnvidia-ml.so.1 was not found: no NVIDIA driver is installed or visible here");
    return Status(StatusCode::kIo, "libnvidia-ml.so.1 cannot be loaded: " + why);
  }
  nvml.functions_ = std::make_unique<Functions>();
#define X(name, arguments) \
  nvml.functions_->name = reinterpret_cast<decltype(nvml.functions_->name)>(::dlsym(nvml.library_, "nvml" #name));
  WS_NVML(X)
#undef X
  const Functions& f = *nvml.functions_;
  const int result = f.Init_v2 == nullptr ? -1 : f.Init_v2();
  if (result != kNvmlSuccess) {
    constexpr int kDriverNotLoaded = 9, kMismatch = 18, kNoPermission = 4, kLost = 15, kUnknown = 999;
    std::string why = "NVML answered " + std::to_string(result);
    if (result == kDriverNotLoaded) why = "the NVIDIA driver is not loaded";
    if (result == kMismatch)
      why = "the driver in the kernel and its libraries are of different versions; reboot or reload the driver";
    if (result == kUnknown) why = "NVML answered Unknown Error (999)";
    if (result == kLost) why = "a GPU fell off the bus or is not reachable any more";
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

GpuFacts Nvml::FactsOf(unsigned index, void* device) const {
  const Functions& f = *functions_;
  GpuFacts facts;
  facts.index = index;
  if (device == nullptr) return facts;
  facts.name = TextOf(f.DeviceGetName, device);
  facts.uuid = TextOf(f.DeviceGetUUID, device);
  NvmlPciInfo pci{};
  if (f.DeviceGetPciInfo_v3 != nullptr && f.DeviceGetPciInfo_v3(device, &pci) == kNvmlSuccess) {
    pci.bus_id[sizeof(pci.bus_id) - 1] = '\0';
    facts.bus_id = pci.bus_id;
  }
  constexpr std::array<const char*, 4> kModes = {"default", "one thread", "prohibited", "one process"};
  if (const auto mode = NvmlNumber(f.DeviceGetComputeMode, device); mode && *mode < kModes.size())
    facts.compute_mode = kModes[*mode];
  if (const auto on = NvmlNumber(f.DeviceGetPersistenceMode, device)) facts.persistence_mode = *on != 0;
  facts.mig_mode = FirstOfTwo(f.DeviceGetMigMode, device);
  facts.ecc_mode = FirstOfTwo(f.DeviceGetEccMode, device);
  facts.power_limit_watts = Scaled(NvmlNumber(f.DeviceGetEnforcedPowerLimit, device), 1e-3);
  facts.clock_max_sm_mhz = Scaled(NvmlNumber(f.DeviceGetMaxClockInfo, device, 1U), 1);
  facts.clock_max_memory_mhz = Scaled(NvmlNumber(f.DeviceGetMaxClockInfo, device, 2U), 1);
  NvmlMemory memory{};
  if (f.DeviceGetMemoryInfo != nullptr && f.DeviceGetMemoryInfo(device, &memory) == kNvmlSuccess)
    facts.memory_total_bytes = memory.total;
  facts.pcie_gen_max = NvmlNumber(f.DeviceGetMaxPcieLinkGeneration, device);
  facts.pcie_width_max = NvmlNumber(f.DeviceGetMaxPcieLinkWidth, device);
  facts.pcie_gen = NvmlNumber(f.DeviceGetCurrPcieLinkGeneration, device);
  facts.pcie_width = NvmlNumber(f.DeviceGetCurrPcieLinkWidth, device);
  facts.clock_limit_sm_mhz = Scaled(NvmlNumber(f.DeviceGetApplicationsClock, device, 1U), 1);
  facts.clock_limit_memory_mhz = Scaled(NvmlNumber(f.DeviceGetApplicationsClock, device, 2U), 1);
  int major = 0, minor = 0;
  if (f.DeviceGetCudaComputeCapability != nullptr &&
      f.DeviceGetCudaComputeCapability(device, &major, &minor) == kNvmlSuccess)
    facts.compute_major = major, facts.compute_minor = minor;
  constexpr std::array<const char*, 5> kVirtual = {"none", "passthrough", "vgpu", "vgpu host", "vsga host"};
  if (const auto mode = NvmlNumber(f.DeviceGetVirtualizationMode, device); mode && *mode < kVirtual.size())
    facts.virtualization = kVirtual[*mode];
  return facts;
}

void Nvml::ReadFacts() {
  const Functions& f = *functions_;
  std::array<char, kNvmlTextBytes> text{};
  if (f.SystemGetDriverVersion != nullptr && f.SystemGetDriverVersion(text.data(), kNvmlTextBytes) == kNvmlSuccess)
    driver_version_ = text.data();
  int cuda = 0;
  if (f.SystemGetCudaDriverVersion_v2 != nullptr && f.SystemGetCudaDriverVersion_v2(&cuda) == kNvmlSuccess)
    cuda_version_ = std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
  const unsigned count = NvmlNumber(f.DeviceGetCount_v2).value_or(0);
  for (unsigned index = 0; index < count; ++index) {
    void* device = nullptr;
    if (f.DeviceGetHandleByIndex_v2 == nullptr || f.DeviceGetHandleByIndex_v2(index, &device) != kNvmlSuccess)
      device = nullptr;
    handles_.push_back(device);
    gpus_.push_back(FactsOf(index, device));
  }
}

}  // namespace warpscope::device
