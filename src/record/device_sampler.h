// DeviceSampler: reads the devices while a program runs and writes what it reads into the run, on the clock of the
// recording. One thread of ours that sleeps most of the time. Load, memory, power, temperature, clocks and what holds
// them down come every period; links, processes and NVLink once a second; the traffic over PCIe, which the driver
// counts for 20 ms a call, one device and direction in turn, every fifth look. Long runs are looked at less often:
// see kPeriods. [one thread] Start() and Stop(); the stream may be written by others meanwhile.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "device/nvml.h"
#include "record/machine_stream.h"
#include "record/system.h"
#include "record/visible_devices.h"

namespace warpscope::record {

class DeviceSampler {
 public:
  // All three must live until Stop(). Processes count as recorded if they descend from this process.
  DeviceSampler(const device::Nvml* nvml, const System* system, MachineStream* stream)
      : nvml_(nvml), system_(system), stream_(stream) {}
  ~DeviceSampler() { Stop(); }
  DeviceSampler(const DeviceSampler&) = delete;
  DeviceSampler& operator=(const DeviceSampler&) = delete;

  // Without devices it does nothing. period_ms 0: the usual one.
  void Start(std::vector<VisibleDevice> devices, unsigned period_ms);
  // Ends the thread and notes what it cost if that was more than kCostPct of one core.
  void Stop();
  int64_t cpu_ns() const { return cpu_ns_; }

  static constexpr unsigned kPeriodMs = 100;
  static constexpr double kCostPct = 1;

 private:
  void Run();
  void Look(const VisibleDevice& device, int64_t time_ns);
  void SlowLook(const VisibleDevice& device, int64_t time_ns);
  void PcieLook(int64_t time_ns);
  void Processes(const VisibleDevice& device, const std::vector<device::ProcessMemory>& processes, int64_t time_ns);
  bool IsOurs(int pid) const;
  int64_t PeriodNs(int64_t running_ns) const;

  const device::Nvml* nvml_;
  const System* system_;
  MachineStream* stream_;
  std::vector<VisibleDevice> devices_;
  unsigned period_ms_ = kPeriodMs;
  std::map<int, uint64_t> seen_throttles_;                   // by device number: reasons that were active at least once
  std::map<int, std::pair<int64_t, uint64_t>> last_nvlink_;  // by device number: time, bytes
  size_t next_pcie_ = 0;
  std::thread thread_;
  std::mutex lock_;
  std::condition_variable wake_;
  bool stop_ = false;
  int64_t cpu_ns_ = 0, wall_ns_ = 0;
  uint64_t looks_ = 0;
  bool any_value_ = false;
};

}  // namespace warpscope::record
