#include "record/machine_recorder.h"

#include "record/environment.h"
#include "record/visible_devices.h"

namespace warpscope::record {

MachineRecorder::MachineRecorder() {
  auto opened = device::Nvml::Open();
  nvml_status_ = opened.status();
  if (opened.ok()) nvml_.emplace(std::move(opened).value());
}

bool MachineRecorder::Begin(const std::string& run_folder, const std::vector<std::string>& program) {
  if (!stream_.Open(run_folder)) return false;
  for (const EnvironmentFact& fact : CollectEnvironment(system_, program, nvml()))
    stream_.Fact(fact.device, fact.name, fact.value);
  if (!nvml_) {
    stream_.Note(1, "device readings are missing: " + nvml_status_.message());
    return true;
  }
  if (NumbersMayDiffer(nvml_->gpus(), system_.Variable("CUDA_DEVICE_ORDER")))
    stream_.Note(1,
                 "the devices are of several models: readings may be filed under another device's number; with "
                 "CUDA_DEVICE_ORDER=PCI_BUS_ID they are not");
  sampler_.emplace(&*nvml_, &system_, &stream_);
  sampler_->Start(VisibleDevices(nvml_->gpus(), system_.Variable("CUDA_VISIBLE_DEVICES")), 0);
  return true;
}

void MachineRecorder::End() {
  if (sampler_) sampler_->Stop();
  stream_.Close(sampler_ ? sampler_->cpu_ns() : 0);
  sampler_.reset();
}

}  // namespace warpscope::record
