// Machines made by hand for tests. [MT] Values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/doctor.h"

namespace warpscope::doctor::testing {

// A device in order, at rest.
inline Gpu SomeGpu(unsigned index = 0) {
  Gpu gpu;
  gpu.index = index;
  gpu.name = "NVIDIA H200";
  gpu.address = "0000:0" + std::to_string(index + 1) + ":00.0";
  gpu.compute_major = 9, gpu.compute_minor = 0;
  gpu.looks.emplace_back();
  gpu.processes.emplace();
  return gpu;
}

inline void Set(Gpu& gpu, ReadingName name, double value) { gpu.looks.back().values[name] = {value, "", false}; }
inline void SetText(Gpu& gpu, ReadingName name, std::string text) {
  gpu.looks.back().values[name] = {std::nullopt, std::move(text), false};
}

// A machine on which everything works.
inline Machine Fit() {
  Machine machine;
  machine.is_live = true;
  PciDevice device;
  device.address = "0000:01:00.0";
  device.vendor = Vendor::kNvidia;
  device.is_gpu = true;
  device.driver = "nvidia";
  machine.pci = {device};
  machine.modules = {{"nvidia", "nvidia_uvm"}};
  machine.nvidia_version = machine.driver_version = "580.95.05";
  machine.driver_cuda = "13.0";
  machine.nodes = {{"/dev/nvidia0", true, true, false},
                   {"/dev/nvidiactl", true, true, false},
                   {"/dev/nvidia-uvm", true, true, false}};
  machine.libraries = {{"libcuda.so.1", "/usr/lib/libcuda.so.1", "loader cache", "580.95.05", true, FileState::kWhole}};
  machine.management = Management{true, "", false};
  machine.cuda = device::CudaAnswer{};
  machine.cuda->loaded = true;
  machine.cuda->result = 0;
  machine.cuda->version = 13000;
  machine.cuda->devices = {{"NVIDIA H200", "0000:01:00.0", 9, 0, false, std::nullopt}};
  machine.variables.emplace();
  machine.frameworks.emplace();
  machine.gpus = {SomeGpu()};
  return machine;
}

inline const Step* Find(const Diagnosis& diagnosis, std::string_view id, std::string_view subject = "") {
  for (const Step& step : diagnosis.steps) {
    if (step.id == id && (subject.empty() || step.subject == subject)) return &step;
  }
  return nullptr;
}

// The id of the first broken layer; "" if nothing is broken.
inline std::string RootOf(const Diagnosis& diagnosis) {
  return diagnosis.root < 0 ? std::string() : diagnosis.steps[static_cast<size_t>(diagnosis.root)].id;
}

// "failure: evidence | next" of a step; "" if it was not made.
inline std::string Told(const Diagnosis& diagnosis, std::string_view id) {
  const Step* step = Find(diagnosis, id);
  return step == nullptr ? std::string()
                         : std::string(NameOf(step->state)) + ": " + step->evidence + " | " + step->next;
}

}  // namespace warpscope::doctor::testing
