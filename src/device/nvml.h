// Nvml: readings of NVIDIA devices from the driver's management library, which is loaded at run time.
// [one thread]. A machine without the library, or a value that a device does not have, is absent, never 0.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace warpscope::device {

// What does not change while a program runs.
struct GpuFacts {
  unsigned index = 0;
  std::string name, uuid, bus_id;
  std::optional<std::string> compute_mode;
  std::optional<bool> persistence_mode, mig_mode, ecc_mode;
  std::optional<double> power_limit_watts, clock_max_sm_mhz, clock_max_memory_mhz;
  std::optional<uint64_t> memory_total_bytes;
  std::optional<unsigned> pcie_gen_max, pcie_width_max;
};

struct GpuSample {
  std::optional<double> utilization_gpu_pct, utilization_memory_pct, power_watts, temperature_celsius, clock_sm_mhz,
      clock_memory_mhz;
  std::optional<uint64_t> memory_used_bytes;
  std::optional<uint64_t> throttle_reasons;  // NVML's bits: kThrottle*
  std::optional<unsigned> pcie_gen, pcie_width;
};

// nvmlClocksEventReason* of nvml.h.
inline constexpr uint64_t kThrottleIdle = 0x1, kThrottleAppClocks = 0x2, kThrottlePowerCap = 0x4,
                          kThrottleHwSlowdown = 0x8, kThrottleSyncBoost = 0x10, kThrottleSwThermal = 0x20,
                          kThrottleHwThermal = 0x40, kThrottlePowerBrake = 0x80, kThrottleDisplay = 0x100;

class Nvml {
 public:
  // kNotFound: there is no such library (no NVIDIA driver here). kIo: it is there and does not work; the message says
  // why.
  static Result<Nvml> Open();
  Nvml(Nvml&& other) noexcept;
  Nvml& operator=(Nvml&&) = delete;
  ~Nvml();

  std::string driver_version() const { return driver_version_; }
  std::string cuda_version() const { return cuda_version_; }  // newest that the driver offers: "13.0"
  const std::vector<GpuFacts>& gpus() const { return gpus_; }
  GpuSample Sample(unsigned index) const;

 private:
  struct Functions;
  Nvml() = default;
  void ReadFacts();

  void* library_ = nullptr;
  std::unique_ptr<Functions> functions_;
  std::vector<void*> handles_;
  std::vector<GpuFacts> gpus_;
  std::string driver_version_, cuda_version_;
};

}  // namespace warpscope::device
