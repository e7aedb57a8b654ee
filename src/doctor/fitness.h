// Fitness: may measurements be taken on this machine now, and compared with earlier ones: the devices are there, they
// are the right ones, nothing holds their clocks down, their links run as they should. For commands that measure again
// and again (before and after each measurement); the whole diagnosis is doctor.h's. [one thread] Asks NVML only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doctor/machine.h"

namespace warpscope::doctor {

struct FitnessRequest {
  std::string device_name;        // that the measurement is to be made on ("NVIDIA H200"); "" for any
  std::vector<unsigned> devices;  // as NVML counts; empty: all that CUDA_VISIBLE_DEVICES lets through
  bool wants_idle = false;        // also complain of other programs on the device
};

struct Fitness {
  // Reasons why a measurement would not be what it should, each with its device and numbers; empty: fit.
  std::vector<std::string> problems;
  // Worth telling beside the numbers: at the power limit, the link of an idle device cannot be judged.
  std::vector<std::string> remarks;
  std::vector<std::string> devices;  // that were looked at, as labels

  bool is_fit() const { return problems.empty(); }
};

// Of this machine, now. A few milliseconds once the driver is loaded. Without NVML: one problem that says why.
Fitness CheckFitness(const FitnessRequest& request);
// The same on facts. [MT] Pure.
Fitness JudgeFitness(const Machine& machine, const FitnessRequest& request);

}  // namespace warpscope::doctor
