// MachineRecorder: all that the launcher knows and measures itself in a run: facts of machine and program, samples of
// the devices, notes. Opens the driver's management library once. [one thread] Construct, Begin(), End(); stream() may
// be written by other threads in between.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/nvml.h"
#include "record/device_sampler.h"
#include "record/machine_stream.h"
#include "record/preflight.h"
#include "record/system.h"

namespace warpscope::record {

class MachineRecorder {
 public:
  MachineRecorder();
  ~MachineRecorder() { End(); }
  MachineRecorder(const MachineRecorder&) = delete;
  MachineRecorder& operator=(const MachineRecorder&) = delete;

  const System& system() const { return system_; }
  const device::Nvml* nvml() const { return nvml_ ? &*nvml_ : nullptr; }  // null: see nvml_status()
  const Status& nvml_status() const { return nvml_status_; }
  DeviceState devices() const { return DeviceStateOf(nvml(), nvml_status_); }

  // Creates the run's file, writes the facts, starts the samples. False if the file cannot be written; the run goes on.
  bool Begin(const std::string& run_folder, const std::vector<std::string>& program);
  MachineStream& stream() { return stream_; }
  void End();

 private:
  RealSystem system_;
  std::optional<device::Nvml> nvml_;
  Status nvml_status_;
  MachineStream stream_;
  std::optional<DeviceSampler> sampler_;
};

}  // namespace warpscope::record
