// The functions of NVML that this folder calls, with the layouts that they fill. Names, numbers and layouts: NVIDIA's
// public nvml.h. [one thread]
#pragma once

#include <array>
#include <optional>
#include <string>

#include "device/nvml.h"

namespace warpscope::device {

inline constexpr int kNvmlSuccess = 0;
inline constexpr unsigned kNvmlTextBytes = 96;

struct NvmlUtilization {
  unsigned gpu, memory;
};
struct NvmlMemory {
  unsigned long long total, free, used;
};
struct NvmlPciInfo {  // nvmlPciInfo_t (v3)
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
struct NvmlProcess {  // nvmlProcessInfo_t (v2 and v3)
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};
struct NvmlFieldValue {
  unsigned field, scope;
  long long time_us, latency_us;
  unsigned type;
  int result;
  unsigned long long value;  // a union; of the fields asked for here an unsigned long long
};
static_assert(sizeof(NvmlFieldValue) == 40);
struct NvmlBar1 {
  unsigned long long total, free, used;
};
struct NvmlViolation {  // nvmlViolationTime_t, nanoseconds
  unsigned long long reference, violation;
};
struct NvmlFabric {  // nvmlGpuFabricInfo_t
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;
};

struct Nvml::Functions {
#define WS_NVML(X)                                                                 \
  X(Init_v2, ())                                                                   \
  X(Shutdown, ())                                                                  \
  X(SystemGetDriverVersion, (char*, unsigned))                                     \
  X(SystemGetCudaDriverVersion_v2, (int*))                                         \
  X(DeviceGetCount_v2, (unsigned*))                                                \
  X(DeviceGetHandleByIndex_v2, (unsigned, void**))                                 \
  X(DeviceGetName, (void*, char*, unsigned))                                       \
  X(DeviceGetUUID, (void*, char*, unsigned))                                       \
  X(DeviceGetPciInfo_v3, (void*, NvmlPciInfo*))                                    \
  X(DeviceGetUtilizationRates, (void*, NvmlUtilization*))                          \
  X(DeviceGetMemoryInfo, (void*, NvmlMemory*))                                     \
  X(DeviceGetPowerUsage, (void*, unsigned*))                                       \
  X(DeviceGetEnforcedPowerLimit, (void*, unsigned*))                               \
  X(DeviceGetTemperature, (void*, unsigned, unsigned*))                            \
  X(DeviceGetClockInfo, (void*, unsigned, unsigned*))                              \
  X(DeviceGetMaxClockInfo, (void*, unsigned, unsigned*))                           \
  X(DeviceGetApplicationsClock, (void*, unsigned, unsigned*))                      \
  X(DeviceGetCurrentClocksThrottleReasons, (void*, unsigned long long*))           \
  X(DeviceGetPersistenceMode, (void*, unsigned*))                                  \
  X(DeviceGetComputeMode, (void*, unsigned*))                                      \
  X(DeviceGetMigMode, (void*, unsigned*, unsigned*))                               \
  X(DeviceGetEccMode, (void*, unsigned*, unsigned*))                               \
  X(DeviceGetVirtualizationMode, (void*, unsigned*))                               \
  X(DeviceGetCurrPcieLinkGeneration, (void*, unsigned*))                           \
  X(DeviceGetCurrPcieLinkWidth, (void*, unsigned*))                                \
  X(DeviceGetMaxPcieLinkGeneration, (void*, unsigned*))                            \
  X(DeviceGetMaxPcieLinkWidth, (void*, unsigned*))                                 \
  X(DeviceGetPcieThroughput, (void*, unsigned, unsigned*))                         \
  X(DeviceGetFieldValues, (void*, int, NvmlFieldValue*))                           \
  X(DeviceGetComputeRunningProcesses_v3, (void*, unsigned*, NvmlProcess*))         \
  X(DeviceGetGraphicsRunningProcesses_v3, (void*, unsigned*, NvmlProcess*))        \
  X(DeviceGetCudaComputeCapability, (void*, int*, int*))                           \
  X(DeviceGetTemperatureThreshold, (void*, unsigned, unsigned*))                   \
  X(DeviceGetFanSpeed, (void*, unsigned*))                                         \
  X(DeviceGetPerformanceState, (void*, unsigned*))                                 \
  X(DeviceGetPowerManagementDefaultLimit, (void*, unsigned*))                      \
  X(DeviceGetPowerManagementLimitConstraints, (void*, unsigned*, unsigned*))       \
  X(DeviceGetTotalEccErrors, (void*, unsigned, unsigned, unsigned long long*))     \
  X(DeviceGetRemappedRows, (void*, unsigned*, unsigned*, unsigned*, unsigned*))    \
  X(DeviceGetRetiredPages, (void*, unsigned, unsigned*, unsigned long long*))      \
  X(DeviceGetRetiredPagesPendingStatus, (void*, unsigned*))                        \
  X(DeviceGetBAR1MemoryInfo, (void*, NvmlBar1*))                                   \
  X(DeviceGetPcieReplayCounter, (void*, unsigned*))                                \
  X(DeviceGetNvLinkState, (void*, unsigned, unsigned*))                            \
  X(DeviceGetNvLinkErrorCounter, (void*, unsigned, unsigned, unsigned long long*)) \
  X(DeviceGetViolationStatus, (void*, unsigned, NvmlViolation*))                   \
  X(DeviceGetGpuFabricInfo, (void*, NvmlFabric*))
#define X(name, arguments) int(*name) arguments = nullptr;
  WS_NVML(X)
#undef X
};

// The value that a function writes behind `arguments`; absent if it is missing or fails.
template <typename F, typename... A>
std::optional<unsigned> NvmlNumber(F* function, A... arguments) {
  unsigned value = 0;
  if (function == nullptr || function(arguments..., &value) != kNvmlSuccess) return std::nullopt;
  return value;
}

inline std::optional<double> Scaled(std::optional<unsigned> value, double factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}

}  // namespace warpscope::device
