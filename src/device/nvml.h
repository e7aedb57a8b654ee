// Nvml: readings of NVIDIA devices from the driver's management library, which is loaded at run time.
// [one thread]. A machine without the library, or a value that a device does not have, is absent, never 0.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/reading_names.h"

namespace warpscope::device {

// What does not change while a program runs.
struct GpuFacts {
  unsigned index = 0;
  std::string name, uuid, bus_id;
  std::optional<std::string> compute_mode;
  std::optional<bool> persistence_mode, mig_mode, ecc_mode;
  std::optional<double> power_limit_watts, clock_max_sm_mhz, clock_max_memory_mhz;
  std::optional<uint64_t> memory_total_bytes;
  std::optional<unsigned> pcie_gen_max, pcie_width_max, pcie_gen, pcie_width;  // now: at rest a link may be slower
  std::optional<double> clock_limit_sm_mhz, clock_limit_memory_mhz;            // application clocks
  std::optional<int> compute_major, compute_minor;                             // compute capability
  std::optional<std::string> virtualization;  // "none", "passthrough", "vgpu", "vgpu host", "vsga host"
};

struct GpuSample {
  std::optional<double> utilization_gpu_pct, utilization_memory_pct, power_watts, temperature_celsius, clock_sm_mhz,
      clock_memory_mhz;
  std::optional<uint64_t> memory_used_bytes;
  std::optional<uint64_t> throttle_reasons;  // NVML's bits: kThrottle*
};

struct ProcessMemory {
  int pid = 0;  // as the driver sees it: inside a container it may be another than ours
  uint64_t used_bytes = 0;
};

// What is asked for less often, because it changes slowly or costs more.
struct SlowSample {
  std::optional<unsigned> pcie_gen, pcie_width;
  std::optional<uint64_t> nvlink_bytes;  // over all links, both directions, since the driver was loaded
  std::vector<ProcessMemory> processes;
};

// One reading of a device's state under its name and unit in the catalogue of readings.
struct NamedReading {
  model::ReadingName name;
  std::optional<double> value;
  std::string text;  // of readings that are words
};

enum class PcieDirection : unsigned { kFromDevice = 0, kToDevice = 1 };

// nvmlClocksEventReason* of nvml.h.
inline constexpr uint64_t kThrottleIdle = 0x1, kThrottleAppClocks = 0x2, kThrottlePowerCap = 0x4,
                          kThrottleHwSlowdown = 0x8, kThrottleSyncBoost = 0x10, kThrottleSwThermal = 0x20,
                          kThrottleHwThermal = 0x40, kThrottlePowerBrake = 0x80, kThrottleDisplay = 0x100;

class Nvml {
 public:
  // WARPSCOPE_NVML names the library where it is not the driver's. kNotFound: there is no such library (no NVIDIA
  // driver here). kIo: it is there and does not work; the message says why.
  static Result<Nvml> Open();
  // The same after a child process has opened it, so that a library which crashes, ends the process or does not answer
  // in time is a failure (kIo) and no more. Call before threads are started.
  static Result<Nvml> OpenTried(int timeout_ms = 30'000);
  Nvml(Nvml&& other) noexcept;
  Nvml& operator=(Nvml&&) = delete;
  ~Nvml();

  std::string driver_version() const { return driver_version_; }
  std::string cuda_version() const { return cuda_version_; }  // newest that the driver offers: "13.0"
  const std::vector<GpuFacts>& gpus() const { return gpus_; }
  GpuSample Sample(unsigned index) const;
  SlowSample Slow(unsigned index) const;
  // Everything that tells the health of a device, at one moment; what it does not have is left out. Takes some
  // milliseconds.
  std::vector<NamedReading> Health(unsigned index) const;
  // Processes that hold a context for computing or graphics; `used_bytes` is 0 where the driver does not tell.
  std::vector<ProcessMemory> Holders(unsigned index) const;
  // The driver counts for about 20 ms and sleeps meanwhile: the caller waits so long.
  std::optional<double> PcieBytesPerS(unsigned index, PcieDirection direction) const;

 private:
  struct Functions;
  Nvml() = default;
  void ReadFacts();
  GpuFacts FactsOf(unsigned index, void* device) const;

  void* library_ = nullptr;
  std::unique_ptr<Functions> functions_;
  std::vector<void*> handles_;
  std::vector<GpuFacts> gpus_;
  std::string driver_version_, cuda_version_;
};

}  // namespace warpscope::device
